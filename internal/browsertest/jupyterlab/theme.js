// What JupyterLab does when the reader chooses a theme.
window.setTheme = name => {
  document.querySelectorAll('link[data-theme]').forEach(link => {
    link.disabled = link.dataset.theme !== name;
  });
  document.body.dataset.jpThemeLight = String(name === 'light');
};

window.setTheme('light');

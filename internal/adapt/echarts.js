(function (spec, option) {
  var page = window;
  function start(echarts) {
    document.querySelectorAll('[id="' + spec.id + '"]').forEach(function (box) {
      if (box.gopherscopeChart) return;
      var words = box.innerHTML;
      box.innerHTML = '';
      box.style.cssText = 'max-width:100%;background:#fff;border-radius:6px';
      box.style.width = spec.width || '900px';
      box.style.height = spec.height || '500px';
      try {
        var chart = echarts.init(box, spec.theme === 'white' ? null : spec.theme, { renderer: spec.renderer || 'canvas' });
        chart.setOption(option());
        box.gopherscopeChart = true;
        new ResizeObserver(function () { if (box.clientWidth) chart.resize(); }).observe(box);
      } catch (failure) {
        box.style.cssText = '';
        box.innerHTML = words;
        box.firstChild.textContent += '\n' + failure;
      }
    });
  }
  if (page.echarts && parseInt(page.echarts.version, 10) >= 5) return start(page.echarts);
  (page.gopherscopeWaiting = page.gopherscopeWaiting || []).push(start);
});

// Opens a notebook of a Jupyter server in JupyterLab's own notebook panel, with its
// toolbar, completer and tooltip.
import { SessionContextDialogs } from '@jupyterlab/apputils';
import { CodeMirrorEditorFactory, CodeMirrorMimeTypeService, EditorExtensionRegistry, EditorLanguageRegistry, EditorThemeRegistry, ybinding } from '@jupyterlab/codemirror';
import { CompletionProviderManager, KernelCompleterProvider } from '@jupyterlab/completer';
import { PageConfig, Text } from '@jupyterlab/coreutils';
import { Context } from '@jupyterlab/docregistry';
import { NotebookModelFactory, NotebookPanel, NotebookWidgetFactory, StaticNotebook, ToolbarItems } from '@jupyterlab/notebook';
import { RenderMimeRegistry, standardRendererFactories } from '@jupyterlab/rendermime';
import { ContentsManager, KernelManager, KernelSpecManager, SessionManager } from '@jupyterlab/services';
import { Tooltip } from '@jupyterlab/tooltip';
import { CommandRegistry } from '@lumino/commands';
import { Widget } from '@lumino/widgets';
import '@jupyterlab/notebook/style/index.js';
import '@jupyterlab/completer/style/index.js';
import '@jupyterlab/tooltip/style/index.js';
import './notebook.css';
import './theme.js';

// The parts of JupyterLab's services that a notebook needs; the others ask for what
// only JupyterLab's own server answers.
const kernels = new KernelManager({ standby: 'never' });
const sessions = new SessionManager({ kernelManager: kernels, standby: 'never' });
const kernelspecs = new KernelSpecManager({ standby: 'never' });
const manager = {
  contents: new ContentsManager(), kernels, sessions, kernelspecs,
  ready: Promise.all([sessions.ready, kernelspecs.ready])
};

const themes = new EditorThemeRegistry();
EditorThemeRegistry.getDefaultThemes().forEach(theme => themes.addTheme(theme));
const extensions = new EditorExtensionRegistry();
EditorExtensionRegistry.getDefaultExtensions({ themes }).forEach(extension => extensions.addExtension(extension));
extensions.addExtension({
  name: 'shared-model-binding',
  factory: ({ model: { sharedModel } }) => EditorExtensionRegistry.createImmutableExtension(
    ybinding({ ytext: sharedModel.ysource, undoManager: sharedModel.undoManager ?? undefined }))
});
const languages = new EditorLanguageRegistry();
EditorLanguageRegistry.getDefaultLanguages().forEach(language => languages.addLanguage(language));

const rendermime = new RenderMimeRegistry({ initialFactories: standardRendererFactories });
const dialogs = new SessionContextDialogs();
const context = new Context({ manager, factory: new NotebookModelFactory(), path: PageConfig.getOption('notebookPath'), sessionDialogs: dialogs,
  kernelPreference: { shouldStart: true, canStart: true, autoStartDefault: true } });
const panel = new NotebookWidgetFactory({
  name: 'Notebook', fileTypes: ['notebook'], rendermime,
  contentFactory: new NotebookPanel.ContentFactory({ editorFactory: new CodeMirrorEditorFactory({ extensions, languages }).newInlineEditor }),
  mimeTypeService: new CodeMirrorMimeTypeService(languages),
  notebookConfig: { ...StaticNotebook.defaultNotebookConfig, windowingMode: 'none' },
  toolbarFactory: panel => ToolbarItems.getDefaultItems(panel, dialogs)
}).createNew(context);

const completers = new CompletionProviderManager();
completers.setTimeout(60000);
completers.registerProvider(new KernelCompleterProvider());
const complete = () => completers.updateCompleter({
  widget: panel, editor: panel.content.activeCell?.editor, session: panel.sessionContext.session
});

// Documentation of what the cursor is at.
const inspect = async () => {
  const { editor } = panel.content.activeCell;
  const code = editor.model.sharedModel.getSource();
  const { content } = await panel.sessionContext.session.kernel.requestInspect({
    code, cursor_pos: Text.jsIndexToCharIndex(editor.getOffsetAt(editor.getCursorPosition()), code), detail_level: 0
  });
  if (content.found) {
    Widget.attach(new Tooltip({ anchor: panel.content, bundle: content.data, editor, rendermime }), document.body);
  }
};

// The keys that JupyterLab has for them.
const commands = new CommandRegistry();
const editing = '.jp-Notebook.jp-mod-editMode ';
for (const [keys, selector, execute] of [
  ['Tab', editing + '.jp-mod-completer-enabled:not(.jp-mod-at-line-beginning)', () => completers.invoke(panel.id)],
  ['Shift Tab', editing + '.jp-InputArea-editor:not(.jp-mod-completer-active)', inspect]
]) {
  commands.addCommand(keys, { execute });
  commands.addKeyBinding({ command: keys, keys: [keys], selector });
}
document.addEventListener('keydown', event => commands.processKeydownEvent(event), true);

panel.id = 'notebook';
Widget.attach(panel, document.querySelector('main'));
window.addEventListener('resize', () => panel.update());

(async () => {
  await context.initialize(false);
  await panel.sessionContext.initialize();
  await Promise.all([panel.sessionContext.ready, panel.revealed]);
  await complete();
  panel.content.activeCellChanged.connect(complete);
  window.panel = panel;
})();

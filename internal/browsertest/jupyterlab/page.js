// Shows the outputs of a notebook as JupyterLab does: by its own output areas.
import { OutputArea, OutputAreaModel } from '@jupyterlab/outputarea';
import { RenderMimeRegistry, standardRendererFactories } from '@jupyterlab/rendermime';
import { Widget } from '@lumino/widgets';
import '@jupyterlab/outputarea/style/index.js';
import './theme.js';

// What the test wrote into the page: the cells' lists of outputs, and whether the
// notebook is trusted.
const { cells, trusted } = JSON.parse(document.getElementById('notebook').textContent);

const rendermime = new RenderMimeRegistry({ initialFactories: standardRendererFactories });
for (const outputs of cells) {
  const model = new OutputAreaModel({ values: outputs, trusted });
  Widget.attach(new OutputArea({ model, rendermime }), document.querySelector('main'));
}

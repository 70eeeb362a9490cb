// Sent once a page; harmless twice. Figures that came earlier wait in
// gopherscopeWaiting.
(function (page) {
  if (!page.gopherscopeECharts) {
    // The library must not see RequireJS or a CommonJS exports, where it would
    // register itself and set no global; nor replace an ECharts of the page.
    var host = {};
    (function (define, exports, module, globalThis) {
ECHARTS
    }).call(host, undefined, undefined, undefined, host);
    page.gopherscopeECharts = host.echarts;
    page.echarts = page.echarts || host.echarts;
  }
  var waiting = page.gopherscopeWaiting;
  page.gopherscopeWaiting = { push: function (start) { start(page.gopherscopeECharts); } };
  if (Array.isArray(waiting)) waiting.forEach(page.gopherscopeWaiting.push);
})(window);

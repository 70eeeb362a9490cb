// Puts an ECharts chart in the place of a figure's picture. Sent with every
// figure as a function of its spec; see the Go type script. It uses no global
// but those of prelude.js, so that it may run twice and in any order.
(function (spec) {
  var page = window;
  var doc = document;

  // Front ends that say whether they are dark are believed; elsewhere the colour
  // of the text tells, because the text is made to be read on the same ground.
  function isDark(figure) {
    var lab = doc.body.getAttribute('data-jp-theme-light');
    var code = doc.body.getAttribute('data-vscode-theme-kind');
    if (lab) return lab === 'false';
    if (code) return code === 'vscode-dark' || code === 'vscode-high-contrast';
    var rgb = /^rgba?\((\d+), (\d+), (\d+)/.exec(getComputedStyle(figure).color);
    if (rgb) return 0.299 * rgb[1] + 0.587 * rgb[2] + 0.114 * rgb[3] > 140;
    return matchMedia('(prefers-color-scheme: dark)').matches;
  }

  // Names the ticks of an axis, each in a room of its own. Names that are too long are
  // cut where they stay apart: in the middle, else at the start or the end.
  function labelled(labels, room) {
    var texts = labels.map(function (label) { return label[1]; });
    var cuts = [0.5, 0, 1].map(function (start) {
      return texts.map(function (text) { return shortened(text, room, start); });
    });
    var names = cuts.filter(function (cut) { return new Set(cut).size === new Set(texts).size; })[0] || cuts[0];
    return function (value) {
      for (var i = 0; i < labels.length; i++) {
        var at = labels[i][0];
        if (value === at || Math.abs(value - at) <= 1e-9 * Math.abs(at)) return names[i];
      }
      return '';
    };
  }

  function widest(labels) {
    return Math.max.apply(null, labels.map(function (label) { return textWidth(label[1], '12px'); }));
  }

  // Cuts a piece out of a text that is wider than its room; start is the share of what
  // is left that stands before the cut.
  function shortened(text, room, start) {
    var short = text;
    for (var keep = text.length - 1; textWidth(short, '12px') > room && keep > 0; keep--) {
      var before = Math.ceil(keep * start);
      short = text.slice(0, before) + '…' + text.slice(text.length - (keep - before));
    }
    return short;
  }

  function rounded(v) {
    return typeof v === 'number' ? +v.toPrecision(6) : v;
  }

  var family = '"Liberation Sans", Arial, Helvetica, sans-serif';
  var pen = doc.createElement('canvas').getContext('2d');

  function textWidth(text, font) {
    pen.font = font + ' ' + family;
    return pen.measureText(text).width;
  }

  // Breaks a text into as few lines as the width allows, of about the same length.
  function wrap(text, font, width) {
    var lines = filled(text, font, width), narrower;
    for (width -= 8; width > 0 && lines.length > 1; width -= 8) {
      narrower = filled(text, font, width);
      if (narrower.length > lines.length) break;
      lines = narrower;
    }
    return lines;
  }

  function filled(text, font, width) {
    var lines = [''];
    text.split(' ').forEach(function (word) {
      var last = lines.length - 1;
      var longer = lines[last] ? lines[last] + ' ' + word : word;
      if (lines[last] && textWidth(longer, font) > width) lines.push(word);
      else lines[last] = longer;
    });
    return lines;
  }

  // The option as it was made, for the width of the picture and its font.
  var made = spec.option;
  var onDark = false;
  var title = made.title.text.split('\n');
  var legendTop = +made.legend.top;
  var gridTop = +made.grid[0].top;
  var gridBottom = +made.grid[0].bottom;
  var xName = made.xAxis[0].name;
  var keyTexts = made.visualMap && made.visualMap[0].text;
  var categoryGap = made.xAxis[0].nameGap;
  made.textStyle = { fontFamily: family };
  made.tooltip.valueFormatter = function (v) { return rounded(v) + (spec.unit ? ' ' + spec.unit : ''); };
  made.tooltip.confine = true;
  if (made.xAxis[0].type !== 'category') {
    made.xAxis[0].axisPointer = {
      label: { formatter: function (at) { return xName + ': ' + rounded(at.value); } }
    };
  }
  made.series.forEach(function (series, i) {
    if (series.type === 'scatter') {
      series.itemStyle.opacity = 1;
      made.legend.itemHeight = 10;
    }
    if (series.type === 'custom') drawn(series);
    if (spec.cells) labelCells(series);
  });
  if (made.tooltip.trigger === 'item') made.tooltip.formatter = described;
  else if (made.series.some(function (series) { return series.type === 'custom'; })) made.tooltip.formatter = withErrors;
  [made.xAxis[0], made.yAxis[0]].forEach(function (axis) { axis.axisLabel = axis.axisLabel || {}; });

  // A series that this script draws: error bars, each a place and two ends, or
  // the bins of a histogram, each two edges and a count.
  function drawn(series) {
    var bins = /^bins/.test(series.id);
    var number = +series.id.split('-')[1];
    var lying = made.yAxis[0].type === 'category';
    var color = series.itemStyle.color;
    if (!bins) {
      series.tooltip = { show: false };
      series.silent = true;
      series.z = spec.bars ? 5 : 1;
      // A log axis does not have zero and what is below: such a bar runs to the axis.
      // ECharts would take the end for one of the axis.
      series.data.forEach(function (bar) {
        bar.ends = bar.value.slice(1);
        bar.open = made.yAxis[0].type === 'log' && bar.value[1] <= 0;
        if (bar.open) bar.value[1] = made.yAxis[0].min;
      });
    }
    series.renderItem = function (params, api) {
      var a = api.value(0), b = api.value(1), c = api.value(2);
      if (bins) {
        if (c === 0) return null;
        var low = api.coord([a, made.yAxis[0].min]), high = api.coord([b, c]);
        return {
          type: 'rect',
          shape: { x: low[0], y: high[1], width: Math.max(high[0] - low[0] - 1, 1), height: low[1] - high[1] },
          style: { fill: color }
        };
      }
      var from = api.coord(lying ? [b, a] : [a, b]);
      var to = api.coord(lying ? [c, a] : [a, c]);
      var along = lying ? 1 : 0;
      var thick = 4.5, cap = 4;
      if (spec.bars) {
        // The bars that the reader hid leave their place to the others.
        var visible = api.currentSeriesIndices().filter(function (i) { return i < spec.bars; });
        var bar = made.series[number];
        var place = api.barLayout({
          count: visible.length, barGap: bar.barGap, barCategoryGap: bar.barCategoryGap, barMaxWidth: +bar.barMaxWidth
        })[visible.indexOf(number)];
        from[along] += place.offsetCenter;
        to[along] += place.offsetCenter;
        if (place.width < 16) thick = 2.5;
        cap = Math.min(cap, place.width / 2);
      }
      var children = [];
      var edge = series.itemStyle.borderColor;
      var pens = onDark ? [[color, thick], [edge, 1.5]] : [[edge, thick], [color, 1.5]];
      pens.forEach(function (pen) {
        function line(p, q) {
          children.push({ type: 'line', shape: { x1: p[0], y1: p[1], x2: q[0], y2: q[1] }, style: { stroke: pen[0], lineWidth: pen[1] } });
        }
        line(from, to);
        (series.data[params.dataIndex].open ? [to] : [from, to]).forEach(function (end) {
          var p = end.slice(), q = end.slice();
          p[along] -= cap;
          q[along] += cap;
          line(p, q);
        });
      });
      return { type: 'group', children: children };
    };
  }

  // Puts the labels of points on the sides that were found for a figure of about
  // this width. The text comes from a function, because ECharts would read it as a
  // template. Labels stand out from the lines behind them.
  function labelPoints(width) {
    if (!spec.labels) return;
    var nearest = spec.labels.reduce(function (a, b) {
      return Math.abs(b.width - width) < Math.abs(a.width - width) ? b : a;
    });
    made.series.forEach(function (series, i) {
      var sides = nearest.sides[i];
      if (!sides || !sides.length) return;
      sides.forEach(function (side, j) {
        var point = series.data[j];
        point.label = {
          show: !!side,
          position: side.split(' ')[0] || 'right',
          formatter: function () { return point.name; },
          textBorderColor: onDark ? '#111' : '#fff',
          textBorderWidth: 3
        };
      });
      series.labelLayout = function (at) {
        var words = (sides[at.dataIndex] || '').split(' ');
        if (!words[1]) return { hideOverlap: true };
        // ECharts puts the label beside the point; it belongs at the corner.
        return { hideOverlap: true, dx: words[0] === 'right' ? -3 : 3, dy: words[1] === 'up' ? -13 : 13 };
      };
    });
  }

  function labelCells(series) {
    series.data.forEach(function (cell, i) {
      cell.label = { color: spec.cells[i][1], formatter: function () { return spec.cells[i][0]; } };
    });
  }

  // What a tooltip says of one point, bin or cell, as text and never as HTML.
  function described(at) {
    var x = xName, y = made.yAxis[0].name, v = at.value, lines;
    if (spec.names) {
      lines = [spec.names.columns[v[0]], spec.names.rows[v[1]], spec.names.values[at.dataIndex]];
    } else if (at.seriesType === 'custom') {
      lines = [x + ': ' + rounded(v[0]) + ' to ' + rounded(v[1]), y + ': ' + rounded(v[2])];
    } else {
      lines = [at.seriesName, at.name, x + ': ' + rounded(v[0]), y + ': ' + rounded(v[1])];
    }
    var box = doc.createElement('div');
    lines.forEach(function (line) {
      if (line) box.appendChild(doc.createElement('div')).textContent = line;
    });
    return box;
  }

  // What a tooltip says of all series at one place, where some have error bars.
  function withErrors(points) {
    var box = doc.createElement('div');
    function line(text) {
      return box.appendChild(doc.createElement('div')).appendChild(doc.createTextNode(text)).parentNode;
    }
    points.forEach(function (point, n) {
      if (n === 0) {
        var x = point.axisValue;
        line(typeof x === 'number' ? xName + ': ' + rounded(x) : x);
      }
      var v = Array.isArray(point.value) ? point.value[1] : point.value;
      var text = point.seriesName + ': ' + rounded(v);
      made.series.forEach(function (series) {
        if (series.id !== 'error-' + point.seriesIndex) return;
        var ends = series.data[point.dataIndex].ends;
        text += ' (' + rounded(ends[0]) + ' to ' + rounded(ends[1]) + ')';
      });
      var dot = doc.createElement('span');
      dot.style.cssText = 'display:inline-block;width:10px;height:10px;margin-right:5px;border-radius:5px';
      dot.style.background = point.color;
      var row = line(text + (spec.unit ? ' ' + spec.unit : ''));
      row.insertBefore(dot, row.firstChild);
    });
    return box;
  }

  // Names the columns of a heat map, each of a width, as far as there is room.
  function shown(column) {
    var named = [];
    spec.x.forEach(function (label, i) { if (label[1]) named.push(i); });
    var apart = named.length > 1 ? (named[1] - named[0]) * column : column;
    var every = Math.ceil((widest(spec.x) + 6) / apart);
    return function (i) { return named.indexOf(i) >= 0 && named.indexOf(i) % every === 0; };
  }

  // Lays the legend out in rows, and returns by how much they are higher than those
  // of the picture.
  function fitLegend(width) {
    var legend = made.legend;
    if (!legend.show) return 0;
    var icon = 30, gap = 10, lead = 24; // of ECharts
    var room = width - 2 * spec.pad - icon;
    var rows = 1, used = 0;
    legend.width = width - 2 * spec.pad;
    legend.formatter = function (name) { return shortened(name, room, 0.5); };
    legend.data.forEach(function (item) {
      var wide = icon + textWidth(shortened(item.name, room, 0.5), '12px');
      if (used && used + wide > legend.width) {
        rows++;
        used = 0;
      }
      used += wide + gap;
    });
    return Math.max(0, (rows - 1) * lead + 33 - (gridTop - legendTop));
  }

  // Gives the key of a heat map's colours the width that its texts leave.
  function fitKey(key, top, width) {
    var gaps = 30, shortest = 20;
    var low = shortened(keyTexts[1], width - textWidth(keyTexts[0], '12px') - gaps - shortest, 0.5);
    key.top = top;
    key.text = [keyTexts[0], low];
    key.itemHeight = Math.min(140, width - textWidth(keyTexts[0] + low, '12px') - gaps);
  }

  // Turns the names of categories that stand below bars where they would meet, and
  // returns the height that this takes.
  function fitCategories(width) {
    var axis = made.xAxis[0];
    var room = Math.max(0.4 * width, 90);
    var name = Math.min(widest(spec.x), room);
    var turn = name + 4 > width / spec.x.length ? 40 : 0;
    var extra = Math.ceil(name * Math.sin(turn * Math.PI / 180));
    axis.axisLabel = { interval: 0, rotate: turn, formatter: labelled(spec.x, room) };
    axis.nameGap = categoryGap + extra;
    return extra;
  }

  // Hides the values of upright bars where they would meet.
  function fitValues(width) {
    var bars = made.series.filter(function (series) { return series.type === 'bar'; });
    var gap = parseFloat(bars[0].barGap) / 100, between = parseFloat(bars[0].barCategoryGap) / 100;
    var share = width / spec.x.length * (1 - between) / (bars.length + (bars.length - 1) * gap);
    var pitch = Math.min(+bars[0].barMaxWidth, share) * (1 + gap);
    var points = [].concat.apply([], bars.map(function (series) { return series.data; }));
    var room = points.every(function (point) { return !point.label || textWidth(point.label.formatter, '12px') + 4 <= pitch; });
    points.forEach(function (point) { if (point.label) point.label.show = room; });
  }

  // Fits the option to a width and returns the height that it then takes.
  function fit(width) {
    var lines = wrap(title.join(' '), 'bold 16px', width - 2 * spec.pad);
    var above = (lines.length - title.length) * made.title.textStyle.lineHeight;
    made.title.text = lines.join('\n');
    made.legend.top = legendTop + above;
    if (made.visualMap) fitKey(made.visualMap[0], legendTop + above, width - 2 * spec.pad);
    above += fitLegend(width);
    made.grid[0].top = gridTop + above;
    var x = made.xAxis[0], y = made.yAxis[0];
    var room = Math.ceil(Math.min(widest(spec.y), 0.45 * width)) + 1;
    y.axisLabel.formatter = labelled(spec.y, room);
    y.nameGap = room + 18;
    var plot = width - y.nameGap - 2 * spec.pad - 28;
    x.axisLabel.formatter = labelled(spec.x, plot);
    var below = 0;
    if (spec.cells) {
      var column = plot / spec.names.columns.length;
      made.series[0].label = { show: spec.cells.every(function (cell) { return textWidth(cell[0], '12px') <= column - 4; }) };
      x.axisLabel.interval = shown(column);
    } else if (x.type === 'category') {
      below = fitCategories(plot);
      fitValues(plot);
    }
    if (xName) {
      var names = wrap(xName, '12px', plot);
      var more = (names.length - 1) * 14;
      x.name = names.join('\n');
      x.nameTextStyle = { lineHeight: 14 };
      made.grid[0].bottom = gridBottom + more;
      below += more;
    }
    labelPoints(width);
    return spec.height + above + below;
  }

  // One watcher a page, which holds no figure: those that left it can be freed.
  function watchTheme() {
    if (page.gopherscopeTheme) return;
    function redraw() {
      doc.querySelectorAll('.gopherscope-figure').forEach(function (figure) {
        if (figure.gopherscopeRedraw) figure.gopherscopeRedraw();
      });
    }
    page.gopherscopeTheme = new MutationObserver(redraw);
    page.gopherscopeTheme.observe(doc.documentElement, { attributes: true });
    page.gopherscopeTheme.observe(doc.body, { attributes: true });
    matchMedia('(prefers-color-scheme: dark)').addEventListener('change', redraw);
  }

  function takeOver(echarts, figure) {
    var picture = figure.querySelector('img');
    if (!picture || figure.gopherscopeRedraw) return;
    var box = doc.createElement('div');
    box.setAttribute('role', 'img');
    box.setAttribute('aria-label', picture.alt);
    var chart, dark, width;

    function giveBack() {
      if (chart) chart.dispose();
      chart = null;
      box.remove();
      picture.style.display = '';
    }

    // Draws again when the ground or the width changed.
    function redraw() {
      if (!figure.isConnected) return giveBack();
      if (!figure.clientWidth) return;
      try {
        var nowDark = isDark(figure);
        if (chart && nowDark === dark && figure.clientWidth === width) return;
        if (chart && nowDark !== dark) giveBack();
        dark = onDark = nowDark;
        width = figure.clientWidth;
        box.style.cssText = 'width:100%;height:' + fit(width) + 'px';
        if (chart) {
          chart.resize();
        } else {
          figure.appendChild(box);
          chart = echarts.init(box, dark ? 'dark' : null, { renderer: 'svg' });
        }
        chart.setOption(made);
        picture.style.display = 'none';
      } catch (failure) {
        giveBack();
      }
    }

    figure.gopherscopeRedraw = redraw;
    redraw();
    new ResizeObserver(function () { requestAnimationFrame(redraw); }).observe(figure);
    watchTheme();
  }

  function start(echarts) {
    doc.querySelectorAll('[id="' + spec.id + '"]').forEach(function (figure) {
      takeOver(echarts, figure);
    });
  }

  if (page.echarts && parseInt(page.echarts.version, 10) >= 5) return start(page.echarts);
  (page.gopherscopeWaiting = page.gopherscopeWaiting || []).push(start);
});

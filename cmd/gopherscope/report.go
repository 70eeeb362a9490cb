package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/rlx-go/gopherscope/internal/atomicfile"
)

// reportVerb is one invocation of "report".
type reportVerb struct {
	reportFlags
	stdout, stderr     *os.File
	out, from, compare string
}

// reportCommand is the verb that writes docs/quant-kernels.md.
func reportCommand(stdout, stderr *os.File) *cobra.Command {
	v := reportVerb{stdout: stdout, stderr: stderr}
	cmd := &cobra.Command{
		Use:   "report",
		Short: "Measure all experiments and write them up: docs/quant-kernels.md and its figures",
		Long: `Report makes all experiments on this machine, those of "gopherscope bench all" with
every scheme timed, and writes the folder DIR of --out:

  DIR/quant-kernels.md      where the figures come from, which kernels there are, and
                            what was measured: precision, speed beside the roofs,
                            zeros, low rank, the matrix unit, cache against DRAM,
                            threads, errors over layers; a guide to decisions, and
                            the caveats
  DIR/images/report-*.png   the figures

Every sentence that states a result is chosen by the figures. It takes about 5 minutes
on 2 cores, half a minute with --quick, and 2 GiB of memory. Leave the machine alone
meanwhile: other programs spoil the figures.

--json keeps the results, whose schema is docs/report.schema.json; --from writes up such
a file again without measuring. --compare names the file of another machine or another
day: the document, and the standard output, then also say what differs.

Files appear whole, and only when all was measured: Ctrl-C leaves what was there.

Exit status: 0 when the document was written, 2 when the command line is wrong, 1
otherwise.`,
		Example: `  gopherscope report --json results.json
  gopherscope report --quick --out /tmp/report
  gopherscope report --from results.json --compare other.json --out /tmp/report`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if v.from != "" {
				for _, name := range []string{"quick", "threads", "seed", "error", "json"} {
					if cmd.Flags().Changed(name) {
						return asUsage(fmt.Errorf("--from and --%s: want one of them, since nothing is measured", name))
					}
				}
			}
			return v.run(cmd.Context())
		},
	}
	v.add(cmd)
	f := cmd.Flags()
	f.StringVar(&v.out, "out", "docs", "the folder `DIR` to write to")
	f.StringVar(&v.from, "from", "", "write up the results in `FILE`, which --json wrote, and measure nothing")
	f.StringVar(&v.compare, "compare", "", "say what differs from the results in `FILE`, which --json wrote")
	return cmd
}

func (v *reportVerb) run(ctx context.Context) error {
	if err := v.check(); err != nil {
		return err
	}
	// A file that cannot be read is better found before the measurement.
	var old *reportResult
	var err error
	if v.compare != "" {
		if old, err = readReport(v.compare); err != nil {
			return fmt.Errorf("--compare %s: %w", v.compare, err)
		}
	}
	if info, err := os.Stat(v.out); err == nil && !info.IsDir() {
		return fmt.Errorf("--out %s: it is not a folder", v.out)
	}
	// The folder itself is made when there is something to write.
	existing := filepath.Clean(v.out)
	for ; ; existing = filepath.Dir(existing) {
		if _, err := os.Stat(existing); !errors.Is(err, fs.ErrNotExist) || existing == filepath.Dir(existing) {
			break
		}
	}
	if err := writableFolder(existing); err != nil {
		return fmt.Errorf("--out %s: %w", v.out, err)
	}
	var r *reportResult
	if v.from != "" {
		if r, err = readReport(v.from); err != nil {
			return fmt.Errorf("--from %s: %w", v.from, err)
		}
	} else {
		defer secondInterruptKills(ctx)()
		if r, err = measureReport(ctx, &v.reportFlags, v.stderr, nil); err != nil {
			return err
		}
		// Before what is made of it, so that a failure there does not lose it.
		if err := v.writeJSON(r); err != nil {
			return err
		}
	}
	doc := document{r: r}
	if old != nil {
		changes := compareReports(old, r)
		doc.changes = &changes
		if _, err := fmt.Fprint(v.stdout, changes.text()); err != nil {
			return writeError(err)
		}
	}
	return v.write(doc)
}

// maxReportBytes bounds a file of results: those of a long run take some 100 kB.
const maxReportBytes = 64 << 20

// readReport reads what --json wrote.
func readReport(path string) (*reportResult, error) {
	// To open a pipe that nobody writes to waits for ever.
	if info, err := os.Stat(path); err == nil && !info.Mode().IsRegular() {
		return nil, errors.New("it is not a regular file")
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, errors.Unwrap(err)
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, maxReportBytes+1))
	if err != nil {
		return nil, err
	}
	if len(text) > maxReportBytes {
		return nil, fmt.Errorf("it has more than %d bytes", maxReportBytes)
	}
	var r reportResult
	if err := json.Unmarshal(text, &r); err != nil {
		return nil, jsonError(text, err)
	}
	if r.Format != reportFormat {
		return nil, fmt.Errorf("it has format %d, want %d", r.Format, reportFormat)
	}
	if err := reportSchema().validate(text); err != nil {
		return nil, err
	}
	return &r, r.check()
}

// check refuses what a write-up needs and the schema does not say.
func (r *reportResult) check() error {
	for i, c := range r.Quantization.Cases {
		if c.Rows[0].Scheme != "f32" {
			return fmt.Errorf("quantization.cases[%d].rows[0].scheme: want \"f32\", got %q", i, c.Rows[0].Scheme)
		}
	}
	rows := r.Sparse.Rows
	for i := range rows[1:] {
		if rows[i+1].Density <= rows[i].Density {
			return fmt.Errorf("sparse.rows[%d].density: %v is not above that of the row before it", i+1, rows[i+1].Density)
		}
	}
	for j, one := range r.LowRank {
		for i := range one.Rows[1:] {
			if one.Rows[i+1].Rank <= one.Rows[i].Rank {
				return fmt.Errorf("low_rank[%d].rows[%d].rank: %d is not above that of the row before it", j, i+1, one.Rows[i+1].Rank)
			}
		}
	}
	return nil
}

// write makes all of the document before it writes any of it.
func (v *reportVerb) write(doc document) error {
	text, pictures, err := doc.render()
	if err != nil {
		return err
	}
	images := filepath.Join(v.out, "images")
	if err := os.MkdirAll(images, 0o777); err != nil {
		return fmt.Errorf("--out %s: %w", v.out, errors.Unwrap(err))
	}
	for _, p := range pictures {
		path := filepath.Join(images, p.file)
		if err := atomicfile.Write(path, p.png); err != nil {
			return fmt.Errorf("%s: %w", path, err)
		}
	}
	path := filepath.Join(v.out, "quant-kernels.md")
	if err := atomicfile.Write(path, []byte(text)); err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	_, err = fmt.Fprintf(v.stdout, "wrote %s and %s\n", path, plural(len(pictures), "figure"))
	return writeError(err)
}

// demoted returns a result's Markdown as part of a document: without its title, its
// headings one level down.
func demoted(markdown string) string {
	var b strings.Builder
	for line := range strings.Lines(markdown) {
		switch {
		case strings.HasPrefix(line, "# "):
			continue
		case strings.HasPrefix(line, "#"):
			line = "#" + line
		}
		b.WriteString(line)
	}
	return strings.TrimSpace(b.String()) + "\n"
}

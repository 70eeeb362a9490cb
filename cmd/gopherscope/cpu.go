package main

import (
	"fmt"
	"io"
	"os"
	"runtime"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/rlx-go/gopherscope/internal/bytesize"
	"github.com/rlx-go/gopherscope/internal/cpu"
	"github.com/rlx-go/gopherscope/kernels"
)

// cpuCommand is the verb that says what code the processor gets.
func cpuCommand(stdout *os.File) *cobra.Command {
	var asJSON, withAccel, try bool
	cmd := &cobra.Command{
		Use:   "cpu",
		Short: "Show what this processor has, and which code each scheme uses on it",
		Long: `Cpu shows the processor, its caches, and its tiers: groups of instructions, each
of which includes those before it. On amd64 they are
  ref     Go alone
  avx2    AVX2, FMA and F16C
  avx512  AVX-512 F, BW, CD, DQ and VL
  vnni    dot products of int8 (AVX512_VNNI)
  bf16    dot products of bfloat16 (AVX512_BF16)
and on arm64
  ref      Go alone
  neon     Advanced SIMD
  dotprod  dot products of int8 (FEAT_DotProd)
  i8mm     products of int8 matrices (FEAT_I8MM)

Then it lists the schemes of package kernels, the implementation that each uses
here, and the others that could run.

With --accel it also opens the matrix libraries of other vendors, each for the first
time in a process of its own, and says why one is not used. See docs/accel.md.

The environment variable ` + cpu.EnvMask + ` names the last tier that may be used, to
compare tiers or to get around one: ` + cpu.EnvMask + `=avx2.

Exit status: 0, also where no library can be used; 2 when the command line is wrong.`,
		Example: `  gopherscope cpu
  ` + cpu.EnvMask + `=avx2 gopherscope cpu
  gopherscope cpu --accel
  gopherscope cpu --json | jq -r '.schemes[] | [.scheme, .impl] | @tsv'`,
		Args: func(cmd *cobra.Command, args []string) error {
			if try {
				return cobra.ExactArgs(3)(cmd, args)
			}
			return cobra.NoArgs(cmd, args)
		},
		RunE: func(_ *cobra.Command, args []string) error {
			if try {
				return tryLibrary(stdout, args[0], args[1], args[2])
			}
			report := newCPUReport()
			if withAccel {
				report.Accel = accelLibraries()
			}
			if asJSON {
				return printJSON(stdout, report)
			}
			return report.print(stdout)
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print one JSON object: cpu, arch, cores, threads, tiers, mask, caches, schemes, accel")
	cmd.Flags().BoolVar(&withAccel, "accel", false, "also show the matrix libraries of other vendors: Accelerate, OpenBLAS, oneDNN")
	cmd.Flags().BoolVar(&try, tryFlag, false, "open the library LIBRARY FILE THREADS, print why it is refused")
	cmd.Flags().MarkHidden(tryFlag)
	return cmd
}

// cpuReport is what the verb prints.
type cpuReport struct {
	CPU     string        `json:"cpu"`
	Arch    string        `json:"arch"`
	Cores   int           `json:"cores"`
	Threads int           `json:"threads"` // that a product may use
	Tiers   cpuTiers      `json:"tiers"`
	Mask    string        `json:"mask"` // the variable's value
	Caches  []cpuCache    `json:"caches"`
	Schemes []schemeImpls `json:"schemes"`
	// Accel is there only if it is asked for.
	Accel []accelLibrary `json:"accel,omitempty"`
}

type cpuTiers struct {
	All     []string `json:"all"`     // of the architecture
	Present []string `json:"present"` // of this processor
	Usable  []string `json:"usable"`  // of those, what the mask allows
}

type cpuCache struct {
	Level int    `json:"level"`
	Type  string `json:"type"`
	Bytes int    `json:"bytes"`
}

type schemeImpls struct {
	Scheme string   `json:"scheme"`
	Impl   string   `json:"impl"` // in use
	Impls  []string `json:"impls"`
}

func newCPUReport() cpuReport {
	r := cpuReport{
		CPU: cpu.Name(), Arch: runtime.GOARCH, Cores: runtime.NumCPU(), Threads: kernels.Threads(),
		Tiers:  cpuTiers{names(cpu.All()), names(cpu.Present()), names(cpu.Usable())},
		Mask:   os.Getenv(cpu.EnvMask),
		Caches: []cpuCache{},
	}
	for _, c := range cpu.Caches() {
		r.Caches = append(r.Caches, cpuCache(c))
	}
	for _, scheme := range kernels.Schemes() {
		impls := kernels.Implementations(scheme)
		r.Schemes = append(r.Schemes, schemeImpls{scheme, impls[len(impls)-1], impls})
	}
	return r
}

func names(tiers []cpu.Tier) []string {
	var names []string
	for _, t := range tiers {
		names = append(names, t.String())
	}
	return names
}

func (r cpuReport) print(w io.Writer) error {
	out := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintf(out, "cpu\t%s, %s\n", r.CPU, r.Arch)
	fmt.Fprintf(out, "cores\t%d, of which a product may use %d\n", r.Cores, r.Threads)
	var caches []string
	for _, c := range r.Caches {
		caches = append(caches, fmt.Sprintf("L%d%s %s", c.Level, map[string]string{"Data": "d", "Instruction": "i"}[c.Type], bytesize.Binary(int64(c.Bytes))))
	}
	if caches == nil {
		caches = []string{"not known: the system does not tell"}
	}
	fmt.Fprintf(out, "caches\t%s\n", strings.Join(caches, ", "))
	fmt.Fprintf(out, "tiers\t%s\n", strings.Join(r.Tiers.Present, " "))
	if lacking := r.Tiers.All[len(r.Tiers.Present):]; len(lacking) > 0 {
		fmt.Fprintf(out, "lacks\t%s\n", strings.Join(lacking, " "))
	}
	if r.Mask != "" {
		fmt.Fprintf(out, "%s\t%s: uses %s\n", cpu.EnvMask, r.Mask, strings.Join(r.Tiers.Usable, " "))
	}
	fmt.Fprint(out, "\nSCHEME\tUSES\tCAN ALSO RUN\n")
	for _, s := range r.Schemes {
		fmt.Fprintf(out, "%s\t%s\t%s\n", s.Scheme, s.Impl, strings.Join(s.Impls[:len(s.Impls)-1], " "))
	}
	if r.Accel != nil {
		printAccel(out, r.Accel)
	}
	return out.Flush()
}

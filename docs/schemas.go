// Package docs has the schemas of the JSON that gopherscope writes and reads again.
package docs

import _ "embed"

// ReportSchema is the schema of a file of results, and ProbeSchema that of a line of probe
// --json, in JSON Schema of draft 2020-12.
var (
	//go:embed report.schema.json
	ReportSchema []byte
	//go:embed probe.schema.json
	ProbeSchema []byte
)

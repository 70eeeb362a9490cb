package jupyter

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"os"
	"strconv"
)

// maxConnectionFile bounds what is read of a connection file, in bytes.
const maxConnectionFile = 1 << 20

// Connection says where the five sockets of a kernel are and how its messages
// are signed. A launcher passes it in a connection file.
type Connection struct {
	// Transport is "tcp" or "ipc".
	Transport string `json:"transport"`
	// IP is the address to bind for tcp, and the start of the socket paths for
	// ipc: socket n is the file IP-n.
	IP string `json:"ip"`

	ShellPort   int `json:"shell_port"`
	IOPubPort   int `json:"iopub_port"`
	StdinPort   int `json:"stdin_port"`
	ControlPort int `json:"control_port"`
	HBPort      int `json:"hb_port"`

	// SignatureScheme is "hmac-sha256", the only scheme there is.
	SignatureScheme string `json:"signature_scheme"`
	// Key signs the messages; with an empty key they are not signed.
	Key string `json:"key"`
}

// ReadConnection reads and checks a connection file. An error names the file
// and says what is wrong with it.
func ReadConnection(file string) (Connection, error) {
	var c Connection
	// Before opening, because opening a named pipe would wait for its writer.
	info, err := os.Stat(file)
	if err != nil {
		return c, fmt.Errorf("connection file %s: %w", file, reason(err))
	}
	if !info.Mode().IsRegular() {
		return c, fmt.Errorf("connection file %s: not a regular file", file)
	}
	f, err := os.Open(file)
	if err != nil {
		return c, fmt.Errorf("connection file %s: %w", file, reason(err))
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, maxConnectionFile+1))
	switch {
	case err != nil:
		return c, fmt.Errorf("connection file %s: %w", file, reason(err))
	case len(data) > maxConnectionFile:
		return c, fmt.Errorf("connection file %s: larger than %d bytes", file, maxConnectionFile)
	}
	if err := json.Unmarshal(data, &c); err != nil {
		return c, fmt.Errorf("connection file %s: not the JSON of a connection: %w", file, err)
	}
	if err := c.check(); err != nil {
		return c, fmt.Errorf("connection file %s: %w", file, err)
	}
	return c, nil
}

func (c Connection) check() error {
	if c.Transport != "tcp" && c.Transport != "ipc" {
		return fmt.Errorf("transport is %q, and this kernel speaks tcp and ipc", c.Transport)
	}
	if c.IP == "" {
		return errors.New("ip is missing")
	}
	if c.SignatureScheme != "hmac-sha256" {
		return fmt.Errorf("signature_scheme is %q, and this kernel signs with hmac-sha256", c.SignatureScheme)
	}
	for _, p := range []struct {
		name string
		port int
	}{
		{"shell_port", c.ShellPort}, {"iopub_port", c.IOPubPort}, {"stdin_port", c.StdinPort},
		{"control_port", c.ControlPort}, {"hb_port", c.HBPort},
	} {
		if p.port < 1 || p.port > 65535 {
			return fmt.Errorf("%s is %d, outside 1 to 65535", p.name, p.port)
		}
	}
	return nil
}

// listen binds one socket of the connection.
func (c Connection) listen(port int) (net.Listener, error) {
	if c.Transport == "ipc" {
		path := c.IP + "-" + strconv.Itoa(port)
		// A kernel that was killed leaves its sockets behind, and a restart
		// comes with the same names.
		if info, err := os.Lstat(path); err == nil && info.Mode()&fs.ModeSocket != 0 {
			if other, err := net.Dial("unix", path); err == nil {
				other.Close()
				return nil, fmt.Errorf("%s: another kernel has it", path)
			}
			os.Remove(path)
		}
		return net.Listen("unix", path)
	}
	host := c.IP
	if host == "*" {
		host = ""
	}
	return net.Listen("tcp", net.JoinHostPort(host, strconv.Itoa(port)))
}

// reason strips the path that an *fs.PathError repeats.
func reason(err error) error {
	var path *fs.PathError
	if errors.As(err, &path) {
		return path.Err
	}
	return err
}

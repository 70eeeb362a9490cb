package bytesize

import "testing"

func TestBinary(t *testing.T) {
	for n, want := range map[int64]string{
		0: "0 KiB", 512: "0.5 KiB", 48 << 10: "48 KiB", 1000 << 10: "1000 KiB", 1023 << 10: "1023 KiB",
		1023500: "1000 KiB", 1 << 20: "1 MiB", 5 << 18: "1.25 MiB", 260 << 20: "260 MiB", 1023 << 20: "1023 MiB",
		1 << 30: "1 GiB", 67 << 28: "16.8 GiB", 1536 << 30: "1536 GiB",
	} {
		if got := Binary(n); got != want {
			t.Errorf("Binary(%d) = %q, want %q", n, got, want)
		}
	}
}

func TestDecimal(t *testing.T) {
	for n, want := range map[int64]string{
		0: "0 B", 999: "999 B", 1000: "1.00 kB", 1049: "1.05 kB", 9994: "9.99 kB", 9995: "10.0 kB", 99950: "100 kB",
		999499: "999 kB", 999500: "1.00 MB", 70_600_000_000: "70.6 GB", 1 << 62: "4.61 EB",
	} {
		if got := Decimal(n); got != want {
			t.Errorf("Decimal(%d) = %q, want %q", n, got, want)
		}
	}
}

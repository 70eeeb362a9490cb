package weights

import (
	"context"
	"crypto/sha256"
	"fmt"
	"slices"
)

// Tied returns the groups of two and more tensors that have the same dtype, shape and
// bytes, as tied embeddings have that were saved twice, in the order given. The tensors
// may be of several files. It compares SHA-256 digests, and reads as little as tells two
// tensors apart: nothing of one whose dtype and shape no other has, a few KiB of one that
// differs from the others there. Tensors without a value are left out. It fails if a file
// cannot be read or when ctx ends.
func Tied(ctx context.Context, tensors []*Tensor) ([][]*Tensor, error) {
	whole := slices.DeleteFunc(slices.Clone(tensors), func(t *Tensor) bool { return t.Bytes == 0 })
	groups := split([][]*Tensor{whole}, func(t *Tensor) string {
		return fmt.Sprint(t.DType, t.Shape, t.Bytes)
	})
	for _, digest := range []func(context.Context, *Tensor) ([sha256.Size]byte, error){sampleDigest, fullDigest} {
		var failed error
		groups = split(groups, func(t *Tensor) string {
			if failed != nil {
				return ""
			}
			sum, err := digest(ctx, t)
			failed = err
			return string(sum[:])
		})
		if failed != nil {
			return nil, failed
		}
	}
	return groups, nil
}

// split splits each group by the keys of its tensors and drops what is left alone.
func split(groups [][]*Tensor, key func(*Tensor) string) [][]*Tensor {
	var parts [][]*Tensor
	for _, g := range groups {
		place := make(map[string]int)
		var own [][]*Tensor
		for _, t := range g {
			k := key(t)
			i, known := place[k]
			if !known {
				i = len(own)
				place[k] = i
				own = append(own, nil)
			}
			own[i] = append(own[i], t)
		}
		for _, p := range own {
			if len(p) > 1 {
				parts = append(parts, p)
			}
		}
	}
	return parts
}

const sample = 4096 // bytes

// sampleDigest is the digest of some bytes at the start, in the middle and at the end.
func sampleDigest(ctx context.Context, t *Tensor) (sum [sha256.Size]byte, err error) {
	if t.Bytes <= 3*sample {
		return fullDigest(ctx, t)
	}
	if err := ctx.Err(); err != nil {
		return sum, err
	}
	var b [3 * sample]byte
	for i, at := range []int64{0, t.Bytes / 2, t.Bytes - sample} {
		if err := t.src.readAt(b[i*sample:(i+1)*sample], t.Offset+at, t.Name); err != nil {
			return sum, err
		}
	}
	return sha256.Sum256(b[:]), nil
}

// fullDigest is the digest of all bytes.
func fullDigest(ctx context.Context, t *Tensor) (sum [sha256.Size]byte, err error) {
	h := sha256.New()
	buf := make([]byte, min(1<<20, t.Bytes))
	for at := int64(0); at < t.Bytes; at += int64(len(buf)) {
		if err := ctx.Err(); err != nil {
			return sum, err
		}
		buf = buf[:min(int64(len(buf)), t.Bytes-at)]
		if err := t.src.readAt(buf, t.Offset+at, t.Name); err != nil {
			return sum, err
		}
		h.Write(buf)
	}
	h.Sum(sum[:0])
	return sum, nil
}

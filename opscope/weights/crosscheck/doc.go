// Package crosscheck compares the readers of package weights with the libraries of others
// on valid files. It is a module of its own, so that the libraries are no dependency of
// the product.
package crosscheck

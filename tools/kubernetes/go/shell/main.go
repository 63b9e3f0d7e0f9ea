// The shell of test images: busybox's, but bash where a variable has a name that no shell can, since busybox's would not hand it on.
package main

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"syscall"
)

func main() {
	program := "/usr/bin/busybox"
	if slices.ContainsFunc(os.Environ(), isNoVariable) {
		program = "/usr/bin/bash"
	}
	fmt.Fprintf(os.Stderr, "%s: %v\n", program, syscall.Exec(program, os.Args, os.Environ()))
	os.Exit(126)
}

func isNoVariable(entry string) bool {
	name, _, _ := strings.Cut(entry, "=")
	isOther := func(r rune) bool {
		return !(r == '_' || '0' <= r && r <= '9' || 'A' <= r && r <= 'Z' || 'a' <= r && r <= 'z')
	}
	return name == "" || '0' <= name[0] && name[0] <= '9' || strings.ContainsFunc(name, isOther)
}

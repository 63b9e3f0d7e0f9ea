// The first process of a cluster's namespaces and of each pod's: it does nothing but bury orphans, and its death ends them all.
package main

import (
	"os"
	"os/signal"
	"syscall"
)

func main() {
	signals := make(chan os.Signal, 32)
	signal.Notify(signals, syscall.SIGCHLD, syscall.SIGINT, syscall.SIGTERM)
	for received := range signals {
		if received != syscall.SIGCHLD {
			return
		}
		for buried := 1; buried > 0; {
			buried, _ = syscall.Wait4(-1, nil, syscall.WNOHANG, nil)
		}
	}
}

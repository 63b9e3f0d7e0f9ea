// CoreDNS with the few plugins that a cluster's name server needs; the full set drags in the libraries of every cloud.
package main

import (
	"github.com/coredns/coredns/core/dnsserver"
	"github.com/coredns/coredns/coremain"

	_ "github.com/coredns/coredns/plugin/bind"
	_ "github.com/coredns/coredns/plugin/cache"
	_ "github.com/coredns/coredns/plugin/errors"
	_ "github.com/coredns/coredns/plugin/forward"
	_ "github.com/coredns/coredns/plugin/health"
	_ "github.com/coredns/coredns/plugin/kubernetes"
	_ "github.com/coredns/coredns/plugin/loadbalance"
	_ "github.com/coredns/coredns/plugin/log"
	_ "github.com/coredns/coredns/plugin/ready"
	_ "github.com/coredns/coredns/plugin/template"
)

func main() {
	// The order is the order in which a query passes them.
	dnsserver.Directives = []string{
		"bind", "health", "ready", "errors", "log", "cache", "loadbalance", "template", "kubernetes", "forward",
	}
	coremain.Run()
}

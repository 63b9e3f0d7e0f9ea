/** The configuration files of a node's programs, as values and text. */

import { join } from "node:path";

import { pkiPath } from "../certificates.ts";
import { insideKubeconfig } from "../control-plane.ts";
import { PAUSE_IMAGE } from "../images/test-images.ts";
import { DNS_ADDRESS, DNS_SERVICE_ADDRESS, POD_RANGE } from "../network.ts";
import { nodeCgroup } from "./cgroups.ts";

/** One node: its name, address and the folder of its files. */
export interface NodePlan {
  readonly name: string;
  readonly address: string;
  readonly folder: string;
  /** The same folder as the node's programs see it: sockets need short paths. */
  readonly home: string;
  /** The folder of the whole cluster. */
  readonly cluster: string;
}

/** Where the network plugins of the Debian package are. */
const PLUGINS = "/usr/lib/cni";

/** The socket of a node's containerd. */
export function containerdSocket(node: NodePlan): string {
  return join(node.home, "containerd.sock");
}

/** containerd.toml. The overlay snapshotter cannot stack on an overlay, as in a container; the native one copies instead. */
export function containerdConfig(node: NodePlan, snapshotter: "overlayfs" | "native"): string {
  const runtime = "plugins.'io.containerd.cri.v1.runtime'";
  const images = "plugins.'io.containerd.cri.v1.images'";
  return `version = 3
root = ${quote(join(node.home, "containerd"))}
state = ${quote(`/run/containerd-${node.name}`)}

[grpc]
address = ${quote(containerdSocket(node))}

[ttrpc]
address = ${quote(`${containerdSocket(node)}.ttrpc`)}

[${images}]
snapshotter = ${quote(snapshotter)}

[${images}.pinned_images]
sandbox = ${quote(PAUSE_IMAGE)}

[${runtime}]
restrict_oom_score_adj = true
disable_apparmor = true

[${runtime}.cni]
bin_dirs = [${quote(PLUGINS)}]
conf_dir = ${quote(join(node.cluster, "cni"))}

[${runtime}.containerd.runtimes.runc]
runtime_type = "io.containerd.runc.v2"

[${runtime}.containerd.runtimes.test-handler]
runtime_type = "io.containerd.runc.v2"
`;
}

/** The pod network: each pod has a link to the cluster's namespace, and all nodes take addresses from one range. */
export function networkConfig(cluster: string): object {
  const addresses = {
    type: "host-local",
    dataDir: join(cluster, "addresses"),
    ranges: [[{ subnet: POD_RANGE }]],
    routes: [{ dst: "0.0.0.0/0" }],
  };
  return {
    cniVersion: "0.4.0",
    name: "pods",
    plugins: [
      { type: "ptp", ipMasq: false, mtu: 1500, ipam: addresses },
      { type: "portmap", capabilities: { portMappings: true }, snat: true },
    ],
  };
}

/** KubeletConfiguration. */
export function kubeletConfig(node: NodePlan): object {
  const pki = (file: string): string => pkiPath(node.cluster, file);
  return {
    apiVersion: "kubelet.config.k8s.io/v1beta1",
    kind: "KubeletConfiguration",
    address: node.address,
    healthzBindAddress: node.address,
    authentication: {
      anonymous: { enabled: false },
      webhook: { enabled: true },
      x509: { clientCAFile: pki("ca.crt") },
    },
    authorization: { mode: "Webhook" },
    tlsCertFile: pki(`${node.name}-server.crt`),
    tlsPrivateKeyFile: pki(`${node.name}-server.key`),
    cgroupDriver: "cgroupfs",
    cgroupRoot: nodeCgroup(node.cluster, node.name),
    failCgroupV1: false,
    failSwapOn: false,
    clusterDNS: [DNS_SERVICE_ADDRESS],
    clusterDomain: "cluster.local",
    resolvConf: join(node.cluster, "resolv.conf"),
    containerRuntimeEndpoint: `unix://${containerdSocket(node)}`,
    podLogsDir: join(node.home, "pod-logs"),
    volumePluginDir: join(node.home, "volume-plugins"),
    enforceNodeAllocatable: [],
    evictionHard: { "memory.available": "100Mi", "nodefs.available": "1%", "imagefs.available": "1%" },
    imageGCHighThresholdPercent: 100,
    serializeImagePulls: false,
  };
}

/** KubeProxyConfiguration; one kube-proxy serves all nodes, as they share the network namespace. */
export function kubeProxyConfig(cluster: string, nodes: readonly NodePlan[]): object {
  return {
    apiVersion: "kubeproxy.config.k8s.io/v1alpha1",
    kind: "KubeProxyConfiguration",
    mode: "nftables",
    clientConnection: { kubeconfig: insideKubeconfig(cluster, "proxy") },
    clusterCIDR: POD_RANGE,
    hostnameOverride: nodes[0]?.name ?? "",
    conntrack: { maxPerCore: 0, min: 0 },
    nftables: { syncPeriod: "30s", minSyncPeriod: "200ms" },
    nodePortAddresses: nodes.map((node) => `${node.address}/32`),
  };
}

/** CoreDNS: names of the cluster from the API, no other names, as the namespace has no way out. */
export function corefile(cluster: string): string {
  return `cluster.local in-addr.arpa ip6.arpa {
  bind ${DNS_ADDRESS}
  errors
  kubernetes cluster.local in-addr.arpa ip6.arpa {
    kubeconfig ${insideKubeconfig(cluster, "coredns")}
    pods insecure
    ttl 5
  }
  cache 5
  loadbalance
}
. {
  bind ${DNS_ADDRESS}
  errors
  template ANY ANY {
    rcode NXDOMAIN
  }
}
`;
}

/** A TOML string; JSON's escapes are TOML's too. */
function quote(text: string): string {
  return JSON.stringify(text);
}

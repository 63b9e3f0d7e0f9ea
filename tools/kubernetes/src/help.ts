/** What each command does, how it is called and an example: the only place where help is written. */

/** The commands of this tool. */
export type CommandName = "up" | "down" | "kubeconfig" | "status" | "load" | "exec" | "kubectl" | "build" | "images";

interface Help {
  readonly summary: string;
  readonly usage: string;
  readonly details: string;
  readonly examples: readonly string[];
}

const CALL = "npm run kubernetes --";

/** The help of each command. */
export const HELP: Readonly<Record<CommandName, Help>> = {
  up: {
    summary: "puts up a cluster in namespaces of its own",
    usage:
      "up [--version V] [--node | --nodes N] [--name x] [--control-plane-peers N] [--port P] [--apiserver-flag F]...",
    details: `  --version V              1.36.3 (default) or 1.34.4; built from Go modules the first time
  --node, --nodes N        also containerd, kubelet, kube-proxy, CoreDNS and a default StorageClass (N nodes)
  --name x                 clusters with different names run side by side (default kubernetes)
  --control-plane-peers N  N further kube-apiservers on the same etcd
  --port P                 the port of 127.0.0.1 on which the API server answers (default: a free one)
  --apiserver-flag F       a further flag of kube-apiserver, such as --apiserver-flag=--v=4; may be repeated`,
    examples: ["up", "up --node --name try", "up --version 1.34.4 --control-plane-peers 2"],
  },
  down: {
    summary: "takes a cluster down and leaves nothing behind",
    usage: "down [--name x | --all]",
    details: "  --name x   which cluster (default kubernetes)\n  --all      every cluster, half-made ones too",
    examples: ["down", "down --name try", "down --all"],
  },
  kubeconfig: {
    summary: "prints the path of the administrator's kubeconfig",
    usage: "kubeconfig [--name x]",
    details: "  It works on this machine, outside the cluster's namespaces.",
    examples: ["kubeconfig", "kubeconfig --name try"],
  },
  status: {
    summary: "lists clusters, their addresses and their processes",
    usage: "status [--name x]",
    details: "  Without --name all clusters are listed. The exit code is 1 if the cluster named is not running.",
    examples: ["status", "status --name try"],
  },
  load: {
    summary: "imports OCI archives into every node",
    usage: "load [--name x] <oci-archive>...",
    details: "  The archive is a tar of an OCI layout; its index names the image.",
    examples: ["load memcached.tar", "load --name try *.tar"],
  },
  exec: {
    summary: "runs a command in the cluster's network",
    usage: "exec [--name x] -- <command> [argument]...",
    details: "  Files are this machine's. KUBECONFIG points to the cluster as seen from inside.",
    examples: ["exec -- ip address", "exec --name try -- curl -k https://10.123.0.11:6443/version"],
  },
  kubectl: {
    summary: "runs the kubectl of the cluster's version as administrator",
    usage: "kubectl [--name x] [argument]...",
    details: "  --name must come first; all other arguments are kubectl's.",
    examples: ["kubectl get nodes", "kubectl --name try apply -f object.yaml"],
  },
  build: {
    summary: "builds what `up` needs and starts nothing",
    usage: "build [--version V] [--node]",
    details: "  Programs that are in the cache already are not built again.",
    examples: ["build", "build --node", "build --version 1.34.4"],
  },
  images: {
    summary: "builds the images of the tests as OCI archives",
    usage: "images [--folder f] [name]...",
    details: "  --folder f   where to (default: the cache)\n  name         only these, such as memcached or etcd-3.6",
    examples: ["images", "images memcached busybox", "images --folder /tmp/images"],
  },
};

/** The help text of one command, or of all. */
export function formatHelp(topic: CommandName | undefined): string {
  if (topic === undefined) return overview();
  const { summary, usage, details, examples } = HELP[topic];
  const lines = examples.map((example) => `  ${CALL} ${example}`);
  return `${topic}: ${summary}\n\nUsage: ${CALL} ${usage}\n${details}\n\nExamples:\n${lines.join("\n")}\n`;
}

function overview(): string {
  const rows = Object.entries(HELP).map(([name, { summary }]) => `  ${name.padEnd(12)}${summary}`);
  return `A real Kubernetes for tests, built from Go modules.\n\nUsage: ${CALL} <command>\n\n${rows.join("\n")}\n\nMore: ${CALL} <command> --help\n`;
}

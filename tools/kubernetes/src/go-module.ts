/** The Go modules from which programs are built: which packages, and the go.mod text that makes them build. */

import {
  CLOUDNATIVE_PG_VERSION,
  CONTAINERD_VERSION,
  CONTROLLER_RUNTIME_VERSION,
  COREDNS_VERSION,
  HELM_VERSION,
  OPERATOR_LIFECYCLE_MANAGER_VERSION,
  OPERATOR_REGISTRY_VERSION,
} from "./releases.ts";

/** A Go module at a version with the main packages wanted from it. */
export interface GoModule {
  /** Folder name in the cache, unique for module and version. */
  readonly folder: string;
  readonly path: string;
  /** With the leading v, as Go writes it. */
  readonly version: string;
  readonly linkFlags: string;
  /** Build tags, for programs that need them to build without C. */
  readonly tags?: string;
  /** A main package of ours, by its folder beside this package, that is built instead of one of the module's. */
  readonly main?: string;
  /** Whether the module's own go.mod replaces modules by folders of its repository, released beside it as v0.x. */
  readonly staged: boolean;
}

/** One program: the module it comes from and the package in it. */
export interface Program {
  readonly name: string;
  readonly module: GoModule;
  readonly package: string;
  /** Whether the package is built as its test program. */
  readonly test?: true;
}

const STRIP = "-s -w";

/** Kubernetes itself; the version is stamped in because its own build script would do so. */
export function kubernetesModule(version: string): GoModule {
  const stamp = "-X k8s.io/component-base/version.git";
  const [major, minor] = version.split(".");
  const linkFlags = `${STRIP} ${stamp}Version=v${version} ${stamp}Major=${major} ${stamp}Minor=${minor}`;
  return { folder: version, path: "k8s.io/kubernetes", version: `v${version}`, linkFlags, staged: true };
}

/** One of the etcd modules (server, etcdctl, etcdutl), which are released together. */
export function etcdModule(part: "server" | "etcdctl" | "etcdutl", version: string): GoModule {
  const folder = part === "server" ? `etcd-${version}` : `${part}-${version}`;
  return {
    folder,
    path: `go.etcd.io/etcd/${part}/v3`,
    version: `v${version}`,
    linkFlags: STRIP,
    staged: false,
  };
}

/** One of containerd's programs. */
export function containerdProgram(name: "containerd" | "containerd-shim-runc-v2" | "ctr"): Program {
  const path = "github.com/containerd/containerd/v2";
  const version = `v${CONTAINERD_VERSION}`;
  const linkFlags = `${STRIP} -X ${path}/version.Version=${version}`;
  const module = { folder: `containerd-${CONTAINERD_VERSION}`, path, version, linkFlags, staged: false };
  return { name, module, package: `${path}/cmd/${name}` };
}

/** CoreDNS with the plugins of a cluster. */
export function corednsProgram(): Program {
  const module = {
    folder: `coredns-${COREDNS_VERSION}`,
    path: "github.com/coredns/coredns",
    version: `v${COREDNS_VERSION}`,
    linkFlags: STRIP,
    main: "coredns",
    staged: false,
  };
  return { name: "coredns", module, package: "." };
}

/** An operator in Go, written with controller-runtime. */
export function mirrorOperator(): Program {
  const module = {
    folder: `mirror-${CONTROLLER_RUNTIME_VERSION}`,
    path: "sigs.k8s.io/controller-runtime",
    version: `v${CONTROLLER_RUNTIME_VERSION}`,
    linkFlags: STRIP,
    main: "mirror",
    staged: false,
  };
  return { name: "mirror", module, package: "." };
}

/** CloudNativePG, an operator for PostgreSQL: the one program that is operator and instance manager. */
export function cloudNativePg(): Program {
  const path = "github.com/cloudnative-pg/cloudnative-pg";
  const version = `v${CLOUDNATIVE_PG_VERSION}`;
  const module = { folder: `cloudnative-pg-${CLOUDNATIVE_PG_VERSION}`, path, version, linkFlags: STRIP, staged: false };
  return { name: "manager", module, package: `${path}/cmd/manager` };
}

/** The Helm command. */
export function helmProgram(): Program {
  const path = "helm.sh/helm/v4";
  const version = `v${HELM_VERSION}`;
  const linkFlags = `${STRIP} -X ${path}/internal/version.version=${version}`;
  return {
    name: "helm",
    module: { folder: `helm-${HELM_VERSION}`, path, version, linkFlags, staged: false },
    package: `${path}/cmd/helm`,
  };
}

/** The command of file-based catalogs. Without the tag it would need the C library of GPG. */
export function opmProgram(): Program {
  const path = "github.com/operator-framework/operator-registry";
  const version = `v${OPERATOR_REGISTRY_VERSION}`;
  const tags = "containers_image_openpgp";
  const folder = `operator-registry-${OPERATOR_REGISTRY_VERSION}`;
  const module = { folder, path, version, linkFlags: STRIP, tags, staged: false };
  return { name: "opm", module, package: `${path}/cmd/opm` };
}

/** The programs of the Operator Lifecycle Manager. */
export function olmPrograms(): Program[] {
  const path = "github.com/operator-framework/operator-lifecycle-manager";
  const version = `v${OPERATOR_LIFECYCLE_MANAGER_VERSION}`;
  const linkFlags = `${STRIP} -X ${path}/pkg/version.OLMVersion=${version}`;
  const tags = "json1,containers_image_openpgp";
  const folder = `operator-lifecycle-manager-${OPERATOR_LIFECYCLE_MANAGER_VERSION}`;
  const module = { folder, path, version, linkFlags, tags, staged: false };
  return ["catalog", "olm", "package-server"].map((name) => ({ name, module, package: `${path}/cmd/${name}` }));
}

/** A program of a Kubernetes release, such as kube-apiserver. */
export function kubernetesProgram(name: string, version: string): Program {
  const module = kubernetesModule(version);
  return { name, module, package: `${module.path}/cmd/${name}` };
}

/** The official conformance tests and the runner that they are started with. */
export function conformancePrograms(version: string): Program[] {
  const module = kubernetesModule(version);
  return [
    { name: "e2e.test", module, package: "k8s.io/kubernetes/test/e2e", test: true },
    { name: "ginkgo", module, package: "github.com/onsi/ginkgo/v2/ginkgo" },
    kubernetesProgram("kubectl", version),
  ];
}

/** The program with many parts that pods of the official tests run. */
export function agnhostProgram(version: string): Program {
  return { name: "agnhost", module: kubernetesModule(version), package: "k8s.io/kubernetes/test/images/agnhost" };
}

/** The program that reports whether it gained privileges when it started. */
export function privilegesProgram(version: string): Program {
  return { name: "nnp", module: kubernetesModule(version), package: "k8s.io/kubernetes/test/images/nonewprivs" };
}

/** The API server that official tests put behind another one; it is released with Kubernetes, as v0.x. */
export function sampleApiserverProgram(kubernetes: string): Program {
  const path = "k8s.io/sample-apiserver";
  const release = kubernetes.replace(/^1\./, "0.");
  const module = {
    folder: `sample-apiserver-${release}`,
    path,
    version: `v${release}`,
    linkFlags: STRIP,
    staged: false,
  };
  return { name: "sample-apiserver", module, package: path };
}

/** The etcd server. */
export function etcdProgram(version: string): Program {
  const module = etcdModule("server", version);
  return { name: "etcd", module, package: module.path };
}

/** The etcd server with its two command-line programs, as an application in a pod needs them. */
export function etcdToolPrograms(version: string): Program[] {
  const tools = (["etcdctl", "etcdutl"] as const).map((name): Program => {
    const module = etcdModule(name, version);
    return { name, module, package: module.path };
  });
  return [etcdProgram(version), ...tools];
}

/** The go.mod of a module that only exists to build programs of another one. */
export function formatGoMod(module: GoModule, itsGoMod: string): string {
  const go = /^go (\S+)$/m.exec(itsGoMod)?.[1] ?? "1.24";
  const replaced = module.staged ? stagedModules(itsGoMod) : [];
  const release = module.version.replace(/^v1\./, "v0.");
  return [
    "module capstan.example/build",
    `go ${go}`,
    `require ${module.path} ${module.version}`,
    ...replaced.map((path) => `replace ${path} => ${path} ${release}`),
    "",
  ].join("\n");
}

/** The modules that a go.mod replaces by folders of the same repository. */
export function stagedModules(goMod: string): string[] {
  return [...goMod.matchAll(/^\s*(?:replace\s+)?(\S+) => \.\/staging\/\S+$/gm)].flatMap((match) => match[1] ?? []);
}

/** Finds the published .proto files and the Go structs beside them in a Go module cache. */
import { globSync, readFileSync, readdirSync } from "node:fs";
import { dirname, join } from "node:path";
import type { ProtoPackage } from "./protos.ts";

const modules = ["api", "apimachinery", "apiextensions-apiserver", "kube-aggregator"];

/** The packages of the modules of a release: `v1.36.3` of Kubernetes is `v0.36.3` of its modules. */
export function readProtoPackages(moduleCache: string, gitVersion: string): ProtoPackage[] {
  const release = gitVersion.replace(/^v1\./, "v0.").replace(/[-+].*$/, "");
  return modules.flatMap((module) => {
    const root = join(moduleCache, "k8s.io", `${module}@${release}`);
    const protos = globSync("**/generated.proto", { cwd: root }).sort();
    if (protos.length === 0) throw new Error(`no .proto files in ${root}: download the Go modules of ${release} first`);
    return protos.map((path) => readPackage(join(root, path)));
  });
}

function readPackage(proto: string): ProtoPackage {
  const folder = dirname(proto);
  const go = readdirSync(folder).filter((name) => name.endsWith(".go") && !/_test\.go$|^zz_|^generated\.pb/.test(name));
  return {
    proto: readFileSync(proto, "utf8"),
    go: go.sort().map((name) => readFileSync(join(folder, name), "utf8")),
  };
}

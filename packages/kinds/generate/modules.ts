/** Finds the published .proto files and the Go structs beside them in the Go modules of a release. */
import { execFileSync } from "node:child_process";
import { globSync, readFileSync, readdirSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import type { ProtoPackage } from "./protos.ts";

const modules = ["api", "apimachinery", "apiextensions-apiserver", "kube-aggregator"];

/** The packages of the modules of a release: `v1.36.3` of Kubernetes is `v0.36.3` of its modules. */
export function readProtoPackages(gitVersion: string): ProtoPackage[] {
  const release = gitVersion.replace(/^v1\./, "v0.").replace(/[-+].*$/, "");
  return modules.flatMap((module) => {
    const root = downloadModule(`k8s.io/${module}@${release}`);
    const protos = globSync("**/generated.proto", { cwd: root }).sort();
    if (protos.length === 0) throw new Error(`there are no .proto files in ${module} ${release}`);
    return protos.map((path) => readPackage(join(root, path)));
  });
}

/** The folder of a module in Go's cache; Go downloads it when it is missing. */
function downloadModule(module: string): string {
  const answer = execFileSync("go", ["mod", "download", "-json", module], { cwd: tmpdir(), encoding: "utf8" });
  return (JSON.parse(answer) as { Dir: string }).Dir;
}

function readPackage(proto: string): ProtoPackage {
  const folder = dirname(proto);
  const go = readdirSync(folder).filter((name) => name.endsWith(".go") && !/_test\.go$|^zz_|^generated\.pb/.test(name));
  return {
    proto: readFileSync(proto, "utf8"),
    go: go.sort().map((name) => readFileSync(join(folder, name), "utf8")),
  };
}

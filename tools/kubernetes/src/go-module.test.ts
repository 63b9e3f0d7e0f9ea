import assert from "node:assert/strict";
import test from "node:test";

import { etcdProgram, formatGoMod, kubernetesModule, kubernetesProgram, stagedModules } from "./go-module.ts";

const kubernetesGoMod = `module k8s.io/kubernetes

go 1.26.0

require (
	k8s.io/api v0.0.0
)

replace (
	k8s.io/api => ./staging/src/k8s.io/api
	k8s.io/client-go => ./staging/src/k8s.io/client-go
)
replace github.com/other/thing => github.com/other/fork v1.2.3
`;

test("the staging modules are those that are replaced by folders", () => {
  assert.deepEqual(stagedModules(kubernetesGoMod), ["k8s.io/api", "k8s.io/client-go"]);
});

test("Kubernetes is required with its staging modules of the same release", () => {
  assert.equal(
    formatGoMod(kubernetesModule("1.36.3"), kubernetesGoMod),
    `module capstan.example/build
go 1.26.0
require k8s.io/kubernetes v1.36.3
replace k8s.io/api => k8s.io/api v0.36.3
replace k8s.io/client-go => k8s.io/client-go v0.36.3
`,
  );
});

test("the version is stamped in and versions never share a folder", () => {
  const program = kubernetesProgram("kubelet", "1.34.4");
  assert.equal(program.package, "k8s.io/kubernetes/cmd/kubelet");
  assert.match(program.module.linkFlags, /gitVersion=v1\.34\.4 .*gitMajor=1 .*gitMinor=34$/);
  const folders = [program, kubernetesProgram("kubelet", "1.36.3"), etcdProgram("3.5.35"), etcdProgram("3.6.16")];
  assert.equal(new Set(folders.map(({ module }) => module.folder)).size, 4);
});

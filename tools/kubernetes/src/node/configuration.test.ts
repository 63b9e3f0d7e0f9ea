import assert from "node:assert/strict";
import test from "node:test";

import { containerdConfig, containerdSocket, kubeProxyConfig, kubeletConfig } from "./configuration.ts";
import { planNodes } from "./node.ts";

const nodes = planNodes("/state/one", 2);

test("nodes differ in name, address, folder, socket and control group", () => {
  const seen = nodes.map((node) => {
    const kubelet = kubeletConfig(node) as Record<string, unknown>;
    return [node.name, node.address, node.folder, kubelet["containerRuntimeEndpoint"], kubelet["cgroupRoot"]];
  });
  for (const [index, value] of (seen[0] ?? []).entries()) assert.notEqual(value, seen[1]?.[index]);
});

test("clusters in different folders have different control groups, names alike or not", () => {
  const group = (cluster: string): unknown =>
    planNodes(cluster, 1).map((node) => (kubeletConfig(node) as Record<string, unknown>)["cgroupRoot"])[0];
  assert.notEqual(group("/a/one"), group("/b/one"));
  assert.equal(group("/a/one"), group("/a/one"));
});

test("node ports listen only on the nodes' addresses", () => {
  const config = kubeProxyConfig("/state/one", nodes) as Record<string, unknown>;
  assert.deepEqual(config["nodePortAddresses"], ["10.123.0.101/32", "10.123.0.102/32"]);
});

test("sockets have short paths, however long the cluster's is", () => {
  const [node] = planNodes(`/home/${"long/".repeat(40)}`, 1);
  assert.ok(node);
  assert.equal(containerdSocket(node), "/run/capstan/node-1/containerd.sock");
});

test("paths are quoted in containerd's configuration", () => {
  const [node] = planNodes('/odd "folder"', 1);
  assert.ok(node);
  assert.match(containerdConfig(node, "native"), /^conf_dir = "\/odd \\"folder\\"\/cni"$/m);
});

import assert from "node:assert/strict";
import test from "node:test";

import { parseCommandLine } from "./command-line.ts";
import { KubernetesToolError } from "./errors.ts";
import { HELP, formatHelp } from "./help.ts";
import type { CommandName } from "./help.ts";

const plainUp = {
  verb: "up",
  name: "kubernetes",
  version: "1.36.3",
  nodes: 0,
  peers: 0,
  port: 0,
  apiServerFlags: [],
};

test("up alone is a control plane of the newest release", () => {
  assert.deepEqual(parseCommandLine(["up"]), plainUp);
});

test("up takes a version, nodes, peers, a port and flags", () => {
  const line = "up --version v1.34.4 --nodes 2 --name try-1 --control-plane-peers=2 --port 6443 --apiserver-flag=--v=4";
  assert.deepEqual(parseCommandLine(line.split(" ")), {
    verb: "up",
    name: "try-1",
    version: "1.34.4",
    nodes: 2,
    peers: 2,
    port: 6443,
    apiServerFlags: ["--v=4"],
  });
});

test("--node is one node", () => {
  assert.deepEqual(parseCommandLine(["up", "--node"]), { ...plainUp, nodes: 1 });
});

test("down takes one cluster or all", () => {
  assert.deepEqual(parseCommandLine(["down"]), { verb: "down", which: { name: "kubernetes" } });
  assert.deepEqual(parseCommandLine(["down", "--all"]), { verb: "down", which: "all" });
});

test("arguments after -- belong to the program that exec runs", () => {
  assert.deepEqual(parseCommandLine(["exec", "--name", "a", "--", "ls", "--help"]), {
    verb: "exec",
    name: "a",
    command: ["ls", "--help"],
  });
});

test("all arguments of kubectl except a leading --name are passed on", () => {
  const args = ["get", "pods", "--name=x", "--help"];
  assert.deepEqual(parseCommandLine(["kubectl", ...args]), { verb: "kubectl", name: "kubernetes", args });
  assert.deepEqual(parseCommandLine(["kubectl", "--name", "a", ...args]), { verb: "kubectl", name: "a", args });
  assert.deepEqual(parseCommandLine(["kubectl", "--name=a", ...args]), { verb: "kubectl", name: "a", args });
});

test("every command has help with examples that parse", () => {
  for (const name of Object.keys(HELP) as CommandName[]) {
    assert.deepEqual(parseCommandLine([name, "--help"]), { verb: "help", topic: name });
    assert.match(formatHelp(name), /Examples:\n {2}npm run kubernetes -- /);
    for (const example of HELP[name].examples) {
      assert.equal(parseCommandLine(example.split(" ")).verb, name, example);
    }
  }
  assert.deepEqual(parseCommandLine([]), { verb: "help", topic: undefined });
});

const mistakes: readonly [line: string, says: RegExp, code: string][] = [
  ["upp", /no command "upp": it is one of up, down/, "usage"],
  ["up --version 1.30.0", /no recipe for Kubernetes "1\.30\.0": use --version/, "unknown-version"],
  ["up --name ../etc", /cannot be the name of a cluster/, "usage"],
  ["up --name A", /cannot be the name of a cluster/, "usage"],
  ["up --nodes many", /--nodes "many" is not a whole number from 0 to 9/, "usage"],
  ["up --nodes -1", /--nodes/, "usage"],
  ["up --port 70000", /--port "70000" is not a whole number from 0 to 65535/, "usage"],
  ["up --colour", /--colour/, "usage"],
  ["up extra", /extra/, "usage"],
  ["load", /load needs the path/, "usage"],
  ["exec", /exec needs a command after --/, "usage"],
];

for (const [line, says, code] of mistakes) {
  test(`"${line}" is refused with a sentence`, () => {
    assert.throws(
      () => parseCommandLine(line.split(" ")),
      (error) => error instanceof KubernetesToolError && error.code === code && says.test(error.message),
    );
  });
}

import assert from "node:assert/strict";
import { test } from "node:test";
import { fromDockerConfig, type DockerConfig } from "./credentials.ts";

const auth = Buffer.from("ann:secret").toString("base64");
const ann = { type: "password", username: "ann", password: "secret" };

test("logins in Docker's configuration are found by any name of a registry", async () => {
  const nobody = async (): Promise<undefined> => undefined;
  const find = (auths: DockerConfig["auths"], registry: string): Promise<unknown> =>
    fromDockerConfig({ ...(auths && { auths }) }, nobody)(registry);
  assert.deepEqual(await find({ "registry.test": { auth } }, "registry.test"), ann);
  assert.deepEqual(await find({ "https://registry.test": { auth } }, "registry.test"), ann);
  assert.deepEqual(await find({ "https://index.docker.io/v1/": { auth } }, "docker.io"), ann);
  assert.deepEqual(await find({ "registry.test": { identitytoken: "t" } }, "registry.test"), {
    type: "token",
    token: "t",
  });
  assert.equal(await find({ "registry.test": { auth: "!" } }, "registry.test"), undefined);
  assert.equal(await find(undefined, "registry.test"), undefined);
});

test("helpers are called before the file, with Docker's name of a login", async () => {
  const asked: (readonly string[])[] = [];
  const helper = async (name: string, registry: string): Promise<{ Username: string; Secret: string } | undefined> => {
    asked.push([name, registry]);
    return name === "none" ? undefined : { Username: name === "tokens" ? "<token>" : "bob", Secret: "s" };
  };
  const find = (config: DockerConfig, registry: string): Promise<unknown> => fromDockerConfig(config, helper)(registry);
  const bob = { type: "password", username: "bob", password: "s" };
  assert.deepEqual(await find({ credsStore: "store" }, "docker.io"), bob);
  assert.deepEqual(await find({ credsStore: "store", credHelpers: { "registry.test": "own" } }, "registry.test"), bob);
  assert.deepEqual(await find({ credHelpers: { "docker.io": "tokens" } }, "docker.io"), { type: "token", token: "s" });
  assert.deepEqual(await find({ credsStore: "none", auths: { "registry.test": { auth } } }, "registry.test"), ann);
  assert.deepEqual(asked, [
    ["store", "https://index.docker.io/v1/"],
    ["own", "registry.test"],
    ["tokens", "docker.io"],
    ["none", "registry.test"],
  ]);
});

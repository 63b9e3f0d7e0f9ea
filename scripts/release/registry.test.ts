import assert from "node:assert/strict";
import { test } from "node:test";
import { Packages } from "./registry.ts";

const origin = "http://127.0.0.1:1";
const ask = (packages: Packages, path: string, method = "GET", body = "") =>
  packages.answer({ method, path, body, origin });

const publication = (version: string): string =>
  JSON.stringify({
    name: "@capstan/one",
    versions: { [version]: { name: "@capstan/one", version, bin: { one: "main.js" } } },
    _attachments: { "one.tgz": { data: Buffer.from("tar").toString("base64") } },
  });

test("a published version is found by its document and its tarball", () => {
  const packages = new Packages();
  assert.equal(ask(packages, "/@capstan%2fone", "PUT", publication("0.1.0")).status, 201);
  const { status, body } = ask(packages, "/@capstan%2fone");
  assert.equal(status, 200);
  const tarball = `${origin}/@capstan/one/-/one-0.1.0.tgz`;
  const version = { name: "@capstan/one", version: "0.1.0", bin: { one: "main.js" }, dist: { tarball, integrity: "" } };
  assert.deepEqual(Object.keys(body), ["name", "dist-tags", "versions"]);
  const seen = JSON.parse(JSON.stringify(body)) as { versions: { [name: string]: typeof version } };
  assert.deepEqual({ ...seen.versions["0.1.0"], dist: { tarball } }, { ...version, dist: { tarball } });
  assert.match(seen.versions["0.1.0"]?.dist.integrity ?? "", /^sha512-/u);
  assert.deepEqual(ask(packages, new URL(tarball).pathname).body, Buffer.from("tar"));
});

test("a version is published once", () => {
  const packages = new Packages();
  ask(packages, "/@capstan%2fone", "PUT", publication("0.1.0"));
  assert.equal(ask(packages, "/@capstan%2fone", "PUT", publication("0.1.0")).status, 409);
  assert.equal(ask(packages, "/@capstan%2fone", "PUT", publication("0.2.0")).status, 201);
});

test("an unknown package is not found, nor is an unknown version of a known one", () => {
  const packages = new Packages();
  ask(packages, "/@capstan%2fone", "PUT", publication("0.1.0"));
  assert.equal(ask(packages, "/two").status, 404);
  assert.equal(ask(packages, "/@capstan/one/-/one-0.2.0.tgz").status, 404);
});

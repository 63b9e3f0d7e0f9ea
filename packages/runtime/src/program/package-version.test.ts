import assert from "node:assert/strict";
import { test } from "node:test";
import { packageVersion } from "./package-version.ts";

const cases: readonly (readonly [string, { readonly [path: string]: string }, string | undefined])[] = [
  ["its own package", { "/app/package.json": '{"version":"1.2.3"}', "/package.json": '{"version":"9.0.0"}' }, "1.2.3"],
  [
    "the nearest package with a version",
    { "/app/src/package.json": "{}", "/app/package.json": '{"version":"0.4.0"}' },
    "0.4.0",
  ],
  ["a package whose file is no JSON", { "/app/package.json": "{", "/package.json": '{"version":"2.0.0"}' }, "2.0.0"],
  ["a version that is none", { "/app/package.json": '{"version":"latest"}' }, undefined],
  ["no package", {}, undefined],
];

for (const [name, files, expected] of cases) {
  test(`the version of a program in ${name}`, async () => {
    const readFile = (path: string): Promise<string> => {
      const text = files[path];
      return text === undefined ? Promise.reject(new Error("ENOENT")) : Promise.resolve(text);
    };
    assert.equal(await packageVersion("/app/src/main.ts", readFile), expected);
  });
}

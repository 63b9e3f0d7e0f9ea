/**
 * The program of a test process: loads the test files that its arguments name. `node --test` would do the same, but a process inherits the
 * flags of the one that forks it, and a program that a test forks would become a test runner.
 */
import { resolve } from "node:path";
import { before, test } from "node:test";
import { pathToFileURL } from "node:url";

const files = process.argv.slice(2);
const loaded = Promise.withResolvers<void>();
// Tests begin when all files are loaded: loading takes CPU away from a test that waits.
if (files.length > 1) before(() => loaded.promise);

for (const file of files) {
  try {
    await import(pathToFileURL(resolve(file)).href);
  } catch (error) {
    void test(`${file} can be loaded`, () => {
      throw error;
    });
  }
}
loaded.resolve();

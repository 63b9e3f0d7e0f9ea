/**
 * Runs every question through the oracle and records its results. Build the oracle outside of the repository, in a module that requires
 * k8s.io/kubernetes of the release to compare with, then: `node --conditions=@capstan/source make-vectors.ts <path of the oracle>`.
 */
import { spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";

import { allQuestions } from "./questions.ts";

const [, , oracle = ""] = process.argv;
for (const [name, questions] of Object.entries(allQuestions())) {
  const input = questions.map((question) => JSON.stringify(question)).join("\n");
  const { stdout, status } = spawnSync(oracle, { input, encoding: "utf8", maxBuffer: 2 ** 28 });
  if (status !== 0) throw new Error(`the oracle failed on ${name}`);
  const answers = stdout
    .replaceAll(/selfType\d+/g, "selfType")
    .replaceAll(name === "published" ? /"description":"(?:[^"\\]|\\.)*",?/g : /$^/g, "")
    .trim()
    .split("\n");
  writeFileSync(new URL(`vectors/${name}.json`, import.meta.url), `[\n${answers.join(",\n")}\n]\n`);
}

/**
 * Runs kubectl against a real kube-apiserver and records its output: `node record.ts <kubectl> <kubeconfig> [release of kubectl]`. For
 * releases other than the first, only differences are recorded.
 */
import { randomInt } from "node:crypto";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { drive, type Said } from "./drive.ts";

const [kubectl = "kubectl", kubeconfig = "", release] = process.argv.slice(2);
const namespace = `kt${randomInt(100_000, 1_000_000)}`;
const answers: Said[] = [];
for await (const said of drive({ kubectl, kubeconfig: await readFile(kubeconfig, "utf8"), namespace }))
  answers.push(said);
if (release === undefined) await keep("answers.json", answers);
else await keep(`answers-${release}.json`, await othersThan(answers));

function keep(name: string, said: readonly Said[]): Promise<void> {
  return writeFile(join(import.meta.dirname, name), `${JSON.stringify(said, undefined, 2)}\n`);
}

async function othersThan(said: readonly Said[]): Promise<Said[]> {
  const usual = JSON.parse(await readFile(join(import.meta.dirname, "answers.json"), "utf8")) as Said[];
  return said.filter((one, index) => !isDeepStrictEqual(one, usual[index]));
}

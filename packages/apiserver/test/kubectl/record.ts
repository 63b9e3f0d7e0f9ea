/** Asks a real kube-apiserver through kubectl and keeps what was said: `node record.ts <kubectl> <kubeconfig>`. */
import { randomInt } from "node:crypto";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { drive, type Said } from "./drive.ts";

const [kubectl = "kubectl", kubeconfig = ""] = process.argv.slice(2);
const namespace = `kt${randomInt(100_000, 1_000_000)}`;
const answers: Said[] = [];
for await (const said of drive({ kubectl, kubeconfig: await readFile(kubeconfig, "utf8"), namespace }))
  answers.push(said);
await writeFile(join(import.meta.dirname, "answers.json"), `${JSON.stringify(answers, undefined, 2)}\n`);

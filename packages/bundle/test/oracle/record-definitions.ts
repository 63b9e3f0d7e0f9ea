/** Records what a real kube-apiserver says to the CRDs of real bundles: `node record-definitions.ts <address of kubectl proxy>`. */
import { writeFileSync } from "node:fs";
import { definitionAnswers, hubDefinitions } from "./definitions.ts";

const [address = "http://127.0.0.1:8001"] = process.argv.slice(2);

interface Status {
  readonly message: string;
  readonly details?: { readonly causes?: readonly { readonly field: string; readonly message: string }[] };
}

/** The server reads the text itself and stores nothing. */
async function ask(text: string): Promise<string[]> {
  const path = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions?dryRun=All";
  const headers = { "content-type": "application/yaml", accept: "application/json" };
  const response = await fetch(address + path, { method: "POST", headers, body: text });
  if (response.ok) return [];
  const { message, details } = (await response.json()) as Status;
  return details?.causes?.map((cause) => `${cause.field}: ${cause.message}`) ?? [message];
}

const { gitVersion } = (await (await fetch(`${address}/version`)).json()) as { readonly gitVersion: string };
const lines: string[] = [];
for (const { name, text, hash } of hubDefinitions()) lines.push(JSON.stringify([name, hash, await ask(text)]));
writeFileSync(definitionAnswers, `{"kubernetes":${JSON.stringify(gitVersion)},"answers":[\n${lines.join(",\n")}\n]}\n`);

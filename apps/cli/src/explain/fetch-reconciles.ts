/** Asks a running operator for the reconciles of an object. */
import type { ReconcileRecord } from "@capstan/runtime";
import { CliError } from "../errors.ts";

/** Which object of which controller. */
export interface Question {
  /** `host:port` */
  readonly address: string;
  readonly controller: string;
  readonly namespace: string;
  readonly name: string;
}

/** The limit of text shown from a response: any program may listen at that address. */
const MOST_SAID = 300;

/** The last reconciles of an object, the latest last. Cluster-scoped objects have no namespace: both keys are tried. */
export async function fetchReconciles({
  address,
  controller,
  namespace,
  name,
}: Question): Promise<readonly ReconcileRecord[]> {
  let why = "";
  for (const key of [[namespace, name], [name]]) {
    const path = [controller, ...key].map((part) => encodeURIComponent(part)).join("/");
    const response = await get(`http://${address}/explain/${path}`);
    if (response.status === 200)
      return ((await response.json()) as { reconciles: readonly ReconcileRecord[] }).reconciles;
    if (response.status !== 404) throw await refusal(address, response);
    why ||= await wordsOf(response);
  }
  throw new CliError("Failed", lowered(why || `Nothing is known about ${controller} ${namespace}/${name}.`));
}

async function wordsOf(response: Response): Promise<string> {
  return (await response.text()).trim().slice(0, MOST_SAID);
}

/** Lower-case start and no full stop, to fit into a sentence of the CLI. */
function lowered(sentence: string): string {
  return `${sentence.slice(0, 1).toLowerCase()}${sentence.slice(1).replace(/\.$/, "")}`;
}

/** A rejected request is an error, distinct from an unknown object. */
async function refusal(address: string, response: Response): Promise<CliError> {
  const said = await wordsOf(response);
  return new CliError("Cluster", `the operator at ${address} refuses to explain (${response.status}): ${said}`);
}

async function get(url: string): Promise<Response> {
  try {
    return await fetch(url, { signal: AbortSignal.timeout(5_000) });
  } catch (cause) {
    throw new CliError(
      "Cluster",
      `no operator answers at ${new URL(url).host}: start it with capstan dev; one that is deployed is reached with kubectl port-forward and named with --address (capstan explain --help)`,
      { cause },
    );
  }
}

/** `capstan explain`: why an object was reconciled, and the results. */
import { type Command, defineCommand } from "../command/define.ts";
import type { ControllerNames } from "../dev/messages.ts";
import { findSession } from "../dev/session.ts";
import { CliError } from "../errors.ts";
import { fetchReconciles } from "../explain/fetch-reconciles.ts";
import { formatReconciles, paperOf } from "../explain/format.ts";
import { outputOption, print } from "../output/print.ts";

/** Explains an object's last reconciles. */
export const explain: Command = defineCommand({
  describe:
    "Asks the running operator: what woke the object, what was read and written, how it ended, how long it took, what is next.",
  arguments: [
    {
      name: "OBJECT",
      describe: "controller/name or controller/namespace/name, as in memcached/cache",
      presence: "required",
    },
  ],
  options: {
    namespace: { type: "text", short: "n", value: "NAMESPACE", default: "default", describe: "the object's namespace" },
    address: {
      type: "text",
      value: "HOST:PORT",
      describe: "address of the operator's health probe server (default: the running capstan dev, else 127.0.0.1:8081)",
    },
    output: outputOption,
  },
  examples: [
    { line: "capstan explain memcached/cache", does: "The last reconciles of the object cache" },
    {
      line: "kubectl port-forward deploy/app 8081 & capstan explain memcached/prod/cache",
      does: "The same for an operator in a cluster",
    },
  ],
  run: async ({ options, args: [object = ""], terminal }) => {
    const [controller = "", ...key] = object.split("/");
    if (key.length < 1 || key.length > 2 || [controller, ...key].includes("")) {
      throw new CliError(
        "Usage",
        `${JSON.stringify(object)} is no object: write controller/name or controller/namespace/name`,
      );
    }
    const name = key.at(-1) ?? "";
    const namespace = key.length === 2 ? (key[0] ?? "") : options.namespace;
    const session = options.address === undefined ? await findSession(terminal.cwd) : undefined;
    const address = options.address ?? session?.host ?? "127.0.0.1:8081";
    const known = session?.controllers ?? [];
    const reconciles = await fetchReconciles({ address, controller: controllerOf(controller, known), namespace, name });
    await print(
      { terminal, output: options.output },
      { value: reconciles, table: formatReconciles(reconciles, paperOf(terminal)) },
    );
  },
});

/**
 * Finds a controller by its name, or by its kind as kubectl writes it. If the list of controllers is unknown, the operator resolves the
 * name.
 */
export function controllerOf(word: string, known: readonly ControllerNames[]): string {
  if (known.length === 0 || known.some(({ name }) => name === word)) return word;
  const wanted = word.toLowerCase();
  const found = known.find(({ name, resource }) =>
    [name, resource, resource.split(".", 1)[0]].some((one) => one?.toLowerCase() === wanted),
  );
  if (found !== undefined) return found.name;
  const names = known.map(({ name }) => name);
  throw new CliError(
    "BadInput",
    `there is no controller ${JSON.stringify(word)}: the operator has ${names.join(", ")}`,
  );
}

/** `capstan pause` and `capstan resume`: the operator ignores an object until it is resumed. */
import { type Client, isApiError } from "@capstan/client";
import { apiOf, pauseAnnotation } from "@capstan/runtime";
import { type Command, defineCommand } from "../command/define.ts";
import { nearest } from "../command/suggest.ts";
import { CliError } from "../errors.ts";
import { clusterOptions, connect } from "../project/connect.ts";

const options = {
  ...clusterOptions,
  namespace: { type: "text", short: "n", value: "NAMESPACE", describe: "the object's namespace" },
} as const;

const argument = { name: "OBJECT", describe: "kind/name, as in memcached/cache", presence: "required" } as const;

/** Pauses an object. */
export const pause: Command = defineCommand({
  describe: `Sets the annotation ${pauseAnnotation}: the operator leaves the object alone until it is resumed.`,
  arguments: [argument],
  options: {
    ...options,
    controllers: {
      type: "list",
      value: "NAMES",
      describe: "only these controllers; default: all",
    },
  },
  examples: [
    { line: "capstan pause memcached/cache", does: "Leave the object alone" },
    { line: "capstan pause memcached/cache --controllers backup", does: "Stop only one of its controllers" },
  ],
  run: async ({ options: asked, args: [object = ""], terminal }) => {
    const value = asked.controllers.length === 0 ? "true" : asked.controllers.join(",");
    const { client, namespace } = await connect(asked, terminal);
    await using _ = client;
    await annotate(client, { object, namespace: asked.namespace ?? namespace, value });
    terminal.out(`${object} is paused; capstan resume ${object} gives it back\n`);
  },
});

/** Resumes an object. */
export const resume: Command = defineCommand({
  arguments: [argument],
  options,
  examples: [{ line: "capstan resume memcached/cache", does: "Let the operator go on with the object" }],
  run: async ({ options: asked, args: [object = ""], terminal }) => {
    const { client, namespace } = await connect(asked, terminal);
    await using _ = client;
    await annotate(client, { object, namespace: asked.namespace ?? namespace, value: undefined });
    terminal.out(`${object} goes on\n`);
  },
});

async function annotate(
  client: Client,
  {
    object,
    namespace,
    value,
  }: { readonly object: string; readonly namespace: string; readonly value: string | undefined },
): Promise<void> {
  const [word = "", name = "", surplus] = object.split("/");
  if (word === "" || name === "" || surplus !== undefined) {
    throw new CliError("Usage", `${JSON.stringify(object)} is no object: write kind/name, as in memcached/cache`);
  }
  const kind = await kindOf(client, word);
  const key = { namespace: kind.scope === "Cluster" ? "" : namespace, name };
  const body = { metadata: { annotations: { [pauseAnnotation]: value ?? null } } };
  try {
    await apiOf(client).patch(kind, key, body, { type: "merge", manager: "capstan-cli" });
  } catch (error) {
    if (isApiError(error) && error.code === "NotFound") {
      throw new CliError(
        "Failed",
        `there is no ${kind.kind} ${name}${key.namespace === "" ? "" : ` in namespace ${key.namespace}`}`,
        { cause: error },
      );
    }
    throw error;
  }
}

async function kindOf(client: Client, word: string) {
  const kinds = await client.resources();
  const wanted = word.toLowerCase();
  const found = kinds.find(({ kind, plural, singular, shortNames, group }) =>
    [kind.toLowerCase(), plural, singular, ...shortNames, `${plural}.${group}`].includes(wanted),
  );
  if (found !== undefined) return found;
  const near = nearest(
    wanted,
    kinds.map(({ singular }) => singular),
  );
  throw new CliError(
    "BadInput",
    `the cluster has no kind ${word}${near === undefined ? "" : `; did you mean ${near}?`}`,
  );
}

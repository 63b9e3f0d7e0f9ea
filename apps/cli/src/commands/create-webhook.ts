/** `capstan create webhook`: functions that default, check or convert objects of a kind. */
import { addWebhooks, type WebhookInputs } from "@capstan/scaffold";
import { type Command, defineCommand } from "../command/define.ts";
import { CliError } from "../errors.ts";
import { changeProject } from "../project/apply.ts";
import { openProject } from "../project/disk.ts";

/** Adds webhooks to a kind. */
export const createWebhook: Command = defineCommand({
  describe:
    "They are functions beside the schema. Certificates, the service and the configurations are the runtime's business.",
  options: {
    kind: { type: "text", value: "KIND", describe: "the kind" },
    group: { type: "text", value: "GROUP", describe: "its group, where several have the kind" },
    version: { type: "text", value: "VERSION", describe: "its version" },
    defaulting: { type: "flag", describe: "fill in what a user left out" },
    validating: { type: "flag", describe: "refuse what no schema and no rule can describe" },
    "programmatic-validation": { type: "flag", describe: "the same as --validating" },
    conversion: { type: "text", value: "VERSION", describe: "store this newer version and convert between the two" },
    "defaulting-path": { type: "text", value: "PATH", describe: "where --defaulting is answered" },
    "validation-path": { type: "text", value: "PATH", describe: "where --validating is answered" },
    "dry-run": { type: "flag", describe: "show what would change" },
  },
  examples: [
    { line: "capstan create webhook --kind Memcached --validating", does: "A function that may refuse objects" },
    { line: "capstan create webhook --kind Memcached --defaulting --validating", does: "Both at once" },
    {
      line: "capstan create webhook --kind Memcached --conversion v1",
      does: "A second version, converted in both directions",
    },
    {
      line: "capstan create webhook --kind Memcached --validating --validation-path /check",
      does: "Answered at a path of your own",
    },
  ],
  run: async ({ options, terminal }) => {
    const { kind, group, version, defaulting, conversion } = options;
    const validating = options.validating || options["programmatic-validation"];
    if (kind === undefined) throw new CliError("Usage", "say for which kind: --kind Memcached");
    if (!defaulting && !validating && conversion === undefined) {
      throw new CliError("Usage", "say what it does: --defaulting, --validating or --conversion VERSION");
    }
    const paths = pathsOf(options, { defaulting, validating });
    const project = await openProject(terminal.cwd);
    const inputs = addWebhooks(
      project.inputs,
      { kind, group, version },
      {
        ...(defaulting ? { defaulting: true } : {}),
        ...(validating ? { validating: true } : {}),
        ...(conversion === undefined ? {} : { conversion }),
        ...paths,
      },
    );
    return changeProject(project, { inputs, additions: "keep-both", dryRun: options["dry-run"] }, terminal);
  },
});

interface Paths {
  readonly "defaulting-path": string | undefined;
  readonly "validation-path": string | undefined;
}

/** A path needs the function of the same command line. */
function pathsOf(
  { "defaulting-path": defaultingPath, "validation-path": validatingPath }: Paths,
  asked: { readonly defaulting: boolean; readonly validating: boolean },
): Pick<WebhookInputs, "defaultingPath" | "validatingPath"> {
  if (defaultingPath !== undefined && !asked.defaulting)
    throw new CliError("Usage", "--defaulting-path needs --defaulting");
  if (validatingPath !== undefined && !asked.validating)
    throw new CliError("Usage", "--validation-path needs --validating");
  return {
    ...(defaultingPath === undefined ? {} : { defaultingPath }),
    ...(validatingPath === undefined ? {} : { validatingPath }),
  };
}

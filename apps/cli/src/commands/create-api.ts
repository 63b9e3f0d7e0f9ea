/** `capstan create api`: one more kind, or one more controller. */
import { addApi, type ApiInputs } from "@capstan/scaffold";
import { type Command, defineCommand } from "../command/define.ts";
import { CliError } from "../errors.ts";
import { changeProject } from "../project/apply.ts";
import { builtIn, fullGroup, kindOptions, shapeOf, shapeOptions, type Shape } from "../project/api-options.ts";
import { openProject } from "../project/disk.ts";
import { askYesNo } from "../project/questions.ts";
import type { Terminal } from "../terminal.ts";

/** Adds a kind to the project. */
export const createApi: Command = defineCommand({
  describe: "What you wrote stays: new lines are merged into your files.",
  options: {
    ...kindOptions,
    resource: { type: "yes-no", describe: "define the kind here; --no-resource for a kind that exists elsewhere" },
    controller: { type: "yes-no", describe: "make a controller for it" },
    "controller-name": { type: "text", value: "NAME", describe: "the name of a further controller of the kind" },
    ...shapeOptions,
    "dry-run": { type: "flag", describe: "show what would change" },
  },
  examples: [
    {
      line: "capstan create api --group cache --version v1alpha1 --kind Memcached",
      does: "A new kind with a controller",
    },
    {
      line: "capstan create api --group apps --version v1 --kind Deployment --no-resource",
      does: "A controller for a kind of Kubernetes",
    },
    {
      line: "capstan create api --group cert-manager.io --version v1 --kind Certificate --no-resource",
      does: "A controller for a kind of another project",
    },
    {
      line: "capstan create api --group cache --version v1 --kind Redis --image redis:8 --image-port 6379",
      does: "A ready-made controller that runs an image",
    },
    {
      line: "capstan create api --group cache --version v1alpha1 --kind Memcached --controller-name backup",
      does: "A second controller for a kind",
    },
  ],
  run: async ({ options, terminal }) => {
    const project = await openProject(terminal.cwd);
    const api = await toApi(options, { terminal, domain: project.inputs.domain });
    const known = project.inputs.apis.find((one) => one.kind === api.kind && one.group === api.group);
    const inputs = addApi(project.inputs, known === undefined ? api : { ...api, origin: known.origin });
    return changeProject(project, { inputs, additions: "keep-both", dryRun: options["dry-run"] }, terminal);
  },
});

interface Asked extends Shape {
  readonly group: string | undefined;
  readonly version: string | undefined;
  readonly kind: string | undefined;
  readonly resource: boolean | undefined;
  readonly controller: boolean | undefined;
  readonly "controller-name": string | undefined;
}

async function toApi(asked: Asked, { terminal, domain }: { terminal: Terminal; domain: string }): Promise<ApiInputs> {
  const { group, version, kind } = asked;
  if (group === undefined || version === undefined || kind === undefined) {
    throw new CliError(
      "Usage",
      "say which kind: --group, --version and --kind, as in --group cache --version v1alpha1 --kind Memcached",
    );
  }
  const named = asked["controller-name"];
  const hasResource =
    asked.resource ?? (named === undefined && (await askYesNo(terminal, "Create the resource?", true)));
  const hasController =
    asked.controller ?? (named !== undefined || (await askYesNo(terminal, "Create the controller?", true)));
  if (!hasResource && !hasController)
    throw new CliError("Usage", "with neither a resource nor a controller there is nothing to create");
  const controllers = hasController ? [named ?? ""] : [];
  const shape = shapeOf(asked);
  const core = hasResource ? undefined : builtIn(group, version, kind);
  if (core !== undefined) return { version, kind, origin: "core", controllers, ...core };
  return {
    group: fullGroup(group, domain),
    version,
    kind,
    origin: hasResource ? "new" : "external",
    controllers,
    ...shape,
  };
}

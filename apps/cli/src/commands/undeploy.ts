/** `capstan undeploy`: removes what `capstan deploy` has created, and says what becomes of custom resources. */
import { CustomResourceDefinition } from "@capstan/kinds/apiextensions.k8s.io/v1";
import { type Command, defineCommand } from "../command/define.ts";
import { connectTarget } from "../deploy/connect.ts";
import {
  type CustomKind,
  type Deployed,
  findDeployed,
  type Part,
  removeCustomResources,
  removeParts,
  stayingIn,
  titleOf,
} from "../deploy/remove.ts";
import { CliError } from "../errors.ts";
import { confirm } from "../lifecycle/confirm.ts";
import { secondsOf } from "../lifecycle/wait.ts";
import { checkNamespace } from "../project/placement.ts";
import { entryOption, loadProgram } from "../project/program.ts";
import { deploy } from "./deploy.ts";

const { kubeconfig, context, namespace, yes } = deploy.options;

/** Removes a deployment. */
export const undeploy: Command = defineCommand({
  describe:
    "Shows what would be removed, and asks. CRDs and custom resources stay unless --remove-crds is given: then the custom resources of all namespaces go first, so that the operator can finish them, then the operator, then its CRDs. A CRD that capstan deploy has not created always stays, and so does a namespace that existed before or has custom resources that stay.",
  options: {
    entry: entryOption,
    kubeconfig: { type: "text", value: "FILE", describe: kubeconfig?.describe ?? "" },
    context: { type: "text", value: "NAME", describe: context?.describe ?? "" },
    namespace: { type: "text", short: "n", value: "NAMESPACE", describe: namespace?.describe ?? "" },
    "remove-crds": { type: "flag", describe: "delete its custom resources in all namespaces, and its CRDs" },
    "dry-run": { type: "flag", describe: "show what would be removed; remove nothing" },
    yes: { type: "flag", short: "y", describe: yes?.describe ?? "" },
    timeout: { type: "text", value: "SECONDS", default: "180", describe: "how long custom resources may take" },
  },
  examples: [
    { line: "capstan undeploy", does: "Remove the operator, keep its kinds and their objects" },
    { line: "capstan undeploy --remove-crds", does: "Remove everything, data included" },
  ],
  progress: "own",
  run: async ({ options, terminal }) => {
    const seconds = secondsOf(options.timeout);
    const { program } = await loadProgram(terminal.cwd, options.entry);
    const target = await connectTarget(options, terminal);
    await using client = target.client;
    const place = checkNamespace(options.namespace) ?? `${program.name}-system`;
    terminal.err(`context ${target.context}, ${target.server}, namespace ${place}\n`);
    const deployed = await findDeployed(client, program, place);
    if (deployed.parts.length === 0)
      throw new CliError("Failed", `capstan deploy has not created ${program.name} in ${place}${elsewhere(deployed)}`);
    const removesCrds = options["remove-crds"];
    const kinds = removesCrds ? deployed.customKinds.filter(({ isOurs }) => isOurs) : [];
    const staying = stayingIn(deployed, kinds);
    const parts = staying.length === 0 ? deployed.parts : deployed.parts.filter((part) => !isNamespace(part));
    const kept = deployed.parts.filter((part) => !parts.includes(part));
    terminal.out(preview({ ...deployed, parts }, removesCrds));
    for (const part of kept) terminal.out(`keep ${titleOf(part)}, which has custom resources: ${staying.join(", ")}\n`);
    if (options["dry-run"]) return 0;
    if (!options.yes && !(await confirm(terminal, "remove it?"))) return 1;
    const report = (action: string, what: string): void => terminal.err(`  ${action}  ${what}\n`);
    const removing = { client, seconds, report };
    await removeCustomResources(kinds, removing);
    await removeParts(inOrder(parts, kinds.map(toCrd)), removing);
    terminal.out(`removed ${program.name} from ${place}\n`);
    return 0;
  },
});

/** CRDs go before the namespace, which takes longest. */
function inOrder(parts: readonly Part[], crds: readonly Part[]): readonly Part[] {
  return [...parts.filter((part) => !isNamespace(part)), ...crds, ...parts.filter(isNamespace)];
}

function isNamespace({ kind }: Part): boolean {
  return kind.kind === "Namespace";
}

function toCrd({ kind: { plural, group } }: CustomKind): Part {
  return { kind: CustomResourceDefinition, namespace: "", name: `${plural}.${group}` };
}

function elsewhere({ others }: Deployed): string {
  return others.length === 0 ? "" : `; it is in ${others.join(", ")}: name the namespace with --namespace`;
}

function preview({ parts, customKinds, others }: Deployed, removesCrds: boolean): string {
  const kinds = customKinds.flatMap((kind) => (removesCrds && kind.isOurs ? removedKind(kind) : keptKind(kind)));
  const lines = [
    ...parts.map(
      (part) => `delete ${titleOf(part)}${part.kind.kind === "Namespace" ? ", with all that is in it" : ""}`,
    ),
    ...kinds,
    ...(others.length === 0 ? [] : [`keep roles and CRDs: ${others.join(", ")} has the same operator`]),
  ];
  return `${lines.join("\n")}\n`;
}

function removedKind({ kind, objects }: CustomKind): readonly string[] {
  const crd = `delete CustomResourceDefinition ${kind.plural}.${kind.group}`;
  if (objects.length === 0) return [crd];
  return [
    crd,
    `warning: this deletes ${countOf(objects.length, kind.kind)} in all namespaces, with all that belongs to them`,
  ];
}

function keptKind({ kind, objects, isOurs }: CustomKind): readonly string[] {
  const why = isOurs ? "" : " (capstan deploy has not created it)";
  const crd = `keep CustomResourceDefinition ${kind.plural}.${kind.group}${why}`;
  if (objects.length === 0) return [crd];
  const held = objects.filter(({ metadata }) => (metadata.finalizers ?? []).length > 0).length;
  const warning = `warning: ${countOf(objects.length, kind.kind)} and what belongs to them stay, and no operator reconciles them`;
  return [
    crd,
    held === 0 ? warning : `${warning}; ${held} cannot be deleted until it runs again, because of its finalizers`,
  ];
}

function countOf(count: number, kind: string): string {
  return count === 1 ? `1 object of ${kind}` : `${count} objects of ${kind}`;
}

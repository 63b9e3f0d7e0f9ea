/** `capstan lifecycle audit`: which user installed, approved, upgraded, rolled back and uninstalled what. */
import { ConfigMap } from "@capstan/kinds/v1";
import { findOrphans } from "@capstan/lifecycle";
import { type Command, defineCommand } from "../command/define.ts";
import { auditLabel, entriesOf } from "../lifecycle/audit.ts";
import { connectLifecycle, lifecycleOptions } from "../lifecycle/options.ts";
import { print } from "../output/print.ts";

/** Shows the audit trail. */
export const lifecycleAudit: Command = defineCommand({
  describe:
    "The acts on operators, oldest first, with the user as the API server knows it. The trail is a ConfigMap in each namespace, so it outlives the operators. Only `capstan lifecycle` writes it: for other clients, see the audit log of the API server.",
  options: {
    ...lifecycleOptions,
    "all-namespaces": { type: "flag", short: "A", describe: "look at all namespaces" },
    orphans: { type: "flag", describe: "list what operators left behind in the cluster instead" },
  },
  examples: [
    { line: "capstan lifecycle audit -n shop", does: "Which user approved and removed what" },
    { line: "capstan lifecycle audit -A -o json", does: "The trail of the cluster, for an archive" },
    { line: "capstan lifecycle audit --orphans", does: "CRDs, roles and operators that nothing installs any more" },
  ],
  run: async ({ options, terminal }) => {
    await using connected = await connectLifecycle(options, terminal);
    if (options.orphans) {
      const orphans = await findOrphans(connected.cluster);
      const rows = orphans.map(({ kind, namespace, name, reason }) => [kind, namespace, name, reason]);
      const table = { titles: ["KIND", "NAMESPACE", "NAME", "REASON"], rows };
      await print({ terminal, output: options.output }, { value: orphans, table });
      return;
    }
    const where = options["all-namespaces"] ? {} : { namespace: connected.namespace };
    const trails = await connected.cluster.list(ConfigMap, { ...where, labelSelector: `${auditLabel}=true` });
    const rows = trails
      .flatMap((trail) => entriesOf(trail).map((entry) => ({ namespace: trail.metadata.namespace ?? "", ...entry })))
      .toSorted((a, b) => (a.time < b.time ? -1 : a.time > b.time ? 1 : 0));
    const titles = ["TIME", "NAMESPACE", "USER", "ACTION", "OPERATOR", "DETAIL"];
    const cells = rows.map((row) => [row.time, row.namespace, row.user, row.action, row.operator, row.detail]);
    await print({ terminal, output: options.output }, { value: rows, table: { titles, rows: cells } });
  },
});

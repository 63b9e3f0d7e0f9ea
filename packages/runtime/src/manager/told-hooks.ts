/** The hooks that a cluster was told of, by the names of CRDs: what earlier versions told and nobody answers for is taken back. */
import type { Resource } from "@capstan/schema";
import type { Api } from "../api.ts";
import type { Log } from "../log.ts";
import { crdName } from "../resource.ts";
import type { Previous } from "./previous.ts";

/** What this version tells, and how it takes back what others told. */
export interface ToldHooks {
  /** The CRDs whose hooks this version has told. */
  readonly crds: readonly string[];
  /** Takes back what earlier versions told, of these CRDs too; answers those whose hooks may still be there. */
  takeBack(former: readonly string[]): Promise<readonly string[]>;
}

/** Who has told. */
interface Teller {
  readonly api: Api;
  readonly name: string;
  readonly previous: Previous | undefined;
  readonly version: string | undefined;
  readonly log: Log;
}

/** The hooks of an operator's resources. */
export function toldHooks({ api, name, previous, version, log }: Teller, resources: readonly Resource[]): ToldHooks {
  const own = new Set(resources.map(crdName));
  return {
    crds: resources.filter(({ hooks }) => hooks.default ?? hooks.validate).map(crdName),
    async takeBack(former) {
      // Loaded late: only what runs in a cluster needs it.
      const [{ retireHooks, retireKinds }, { managerOf }] = await Promise.all([
        import("../webhook/retire.ts"),
        import("../webhook/announce.ts"),
      ]);
      const formerManagers = (previous?.names ?? []).map(managerOf);
      const retirer = { api, manager: managerOf(name), formerManagers, version };
      const unseen = [
        ...(await retireHooks(retirer, resources)),
        ...(await retireKinds(
          retirer,
          former.filter((crd) => !own.has(crd)),
        )),
      ];
      // Most kinds never had hooks, and nobody need hear that these may not be seen.
      const left = unseen.filter((crd) => former.includes(crd)).toSorted();
      if (left.length > 0) log.warn(warningOf(left));
      return left;
    },
  };
}

function warningOf(crds: readonly string[]): string {
  const what = `whether an earlier version's webhooks of ${crds.join(", ")} are still there cannot be seen; if they are, they refuse every write`;
  return `${what}: name them in \`previous.hooked\` of the operator and generate its roles again`;
}

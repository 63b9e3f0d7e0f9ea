/** Registered webhooks, by the names of CRDs: registrations of earlier versions that this one does not serve are removed. */
import type { Resource } from "@capstan/schema";
import type { Api } from "../api.ts";
import type { Log } from "../log.ts";
import { crdName } from "../resource.ts";
import type { Previous } from "./previous.ts";

/** The registrations of this version, and the removal of earlier ones. */
export interface RegisteredWebhooks {
  /** The CRDs for which this version has registered webhooks. */
  readonly crds: readonly string[];
  /** Removes registrations of earlier versions, for these CRDs too; returns the CRDs whose registrations may remain. */
  removeFormer(former: readonly string[]): Promise<readonly string[]>;
}

/** The operator that registers. */
interface Registrant {
  readonly api: Api;
  readonly name: string;
  readonly previous: Previous | undefined;
  readonly version: string | undefined;
  readonly log: Log;
}

/** The webhooks of an operator's resources. */
export function registeredWebhooks(
  { api, name, previous, version, log }: Registrant,
  resources: readonly Resource[],
): RegisteredWebhooks {
  const own = new Set(resources.map(crdName));
  return {
    crds: resources.filter(({ hooks }) => hooks.default ?? hooks.validate).map(crdName),
    async removeFormer(former) {
      // Imported lazily: only operators in a cluster need it.
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
      // Most kinds never had webhooks: only warn about former ones.
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

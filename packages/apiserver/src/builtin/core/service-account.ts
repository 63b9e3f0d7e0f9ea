/** ServiceAccount: the identity of a pod, with the subresource `token`. */
import type { ServiceAccount } from "@capstan/kinds/v1";
import type { Draft } from "../draft.ts";
import { checkNamespaced } from "../meta/metadata.ts";
import { defineRules, type KindRules } from "../rules.ts";
import { ageOf } from "../table/cells.ts";
import { tokenRules } from "./token-request.ts";

const mountableSecrets = "kubernetes.io/enforce-mountable-secrets";

export const serviceAccountRules: KindRules<ServiceAccount> = defineRules<ServiceAccount>({
  prepareForCreate: cleanSecrets,
  prepareForUpdate: cleanSecrets,
  validateUpdate: (account) => [...checkNamespaced(account)],
  warnings: ({ metadata }, old) =>
    old?.metadata.annotations?.[mountableSecrets] === undefined &&
    metadata.annotations?.[mountableSecrets] !== undefined
      ? [
          `metadata.annotations[${mountableSecrets}]: deprecated in v1.32+; prefer separate namespaces to isolate access to mounted secrets`,
        ]
      : [],
  deletion: { returnsObject: true },
  subresources: { token: tokenRules },
  table: { row: (account, now) => ({ cells: [account.metadata.name ?? "", ageOf(account, now)] }) },
});

/** Keeps only the names of secret references. */
function cleanSecrets(draft: Draft<ServiceAccount>): void {
  if (draft.secrets !== undefined) {
    draft.secrets = draft.secrets.map(({ name }) => (name === undefined ? {} : { name }));
  }
}

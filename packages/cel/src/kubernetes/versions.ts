/** The libraries and rules for expressions in each version of Kubernetes. */

import type { EnvOptions } from "../environment.ts";
import { TWO_VARIABLES } from "../library/comprehensions.ts";
import type { Library } from "../library/library.ts";
import { listsLibrary } from "../library/lists.ts";
import { OPTIONAL_LIBRARY } from "../library/optional.ts";
import { SETS } from "../library/sets.ts";
import { STANDARD } from "../library/standard.ts";
import { stringsLibrary } from "../library/strings.ts";
import { AUTHORIZER_LIBRARY, AUTHORIZER_SELECTORS } from "./authorizer.ts";
import { FORMAT_LIBRARY } from "./formats.ts";
import { KUBERNETES_LISTS } from "./lists.ts";
import { CIDR_LIBRARY, IP_LIBRARY } from "./network.ts";
import { QUANTITY_LIBRARY } from "./quantity.ts";
import { KUBERNETES_REGEX } from "./regex.ts";
import { SEMVER_LIBRARY } from "./semver.ts";
import { URLS } from "./urls.ts";

/** A minor version of Kubernetes 1, such as 36. */
export type KubernetesMinor = number;

/** The newest version that is known here. */
export const NEWEST_MINOR: KubernetesMinor = 36;

/** A library from one minor version on, up to another. */
interface Introduced {
  readonly library: Library;
  readonly from: KubernetesMinor;
  readonly until?: KubernetesMinor;
}

const LIBRARIES: readonly Introduced[] = [
  { library: STANDARD, from: 0 },
  { library: URLS, from: 0 },
  { library: KUBERNETES_REGEX, from: 0 },
  { library: KUBERNETES_LISTS, from: 0 },
  { library: AUTHORIZER_LIBRARY, from: 27 },
  { library: OPTIONAL_LIBRARY, from: 28 },
  { library: QUANTITY_LIBRARY, from: 28 },
  { library: stringsLibrary(0), from: 0, until: 29 },
  { library: stringsLibrary(2), from: 29 },
  { library: SETS, from: 29 },
  { library: IP_LIBRARY, from: 30 },
  { library: CIDR_LIBRARY, from: 30 },
  { library: FORMAT_LIBRARY, from: 31 },
  { library: AUTHORIZER_SELECTORS, from: 31 },
  { library: TWO_VARIABLES, from: 32 },
  { library: SEMVER_LIBRARY, from: 33 },
  { library: listsLibrary(3), from: 34 },
];

/** What createEnv needs to be an environment of Kubernetes 1.`minor`. */
export function kubernetesOptions(minor: KubernetesMinor = NEWEST_MINOR): EnvOptions {
  const present = LIBRARIES.filter(({ from, until }) => from <= minor && (until === undefined || minor < until));
  return {
    libraries: present.map(({ library }) => library),
    homogeneousLiterals: true,
    crossTypeComparisons: minor >= 28,
    validators: minor >= 29,
  };
}

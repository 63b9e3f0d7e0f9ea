/** CSIDriver, CSINode and CSIStorageCapacity: the abilities of a CSI driver, its nodes and its capacity. */
import type {
  CSIDriver as CsiDriverObject,
  CSIDriverSpec,
  CSINode as CsiNodeObject,
  CSINodeDriver,
  CSIStorageCapacity,
} from "@capstan/kinds/storage.k8s.io/v1";
import { fieldErrors, isDeepEqual, type FieldError } from "@capstan/model";
import { checkMetadataUpdate, checkObjectMetadata, checkStandardFinalizers } from "../../metadata/check.ts";
import type { Draft } from "../draft.ts";
import {
  checkNonNegative,
  checkOneOf,
  checkQualified,
  checkSubdomain,
  checkUnchanged,
  isEmpty,
} from "../meta/checks.ts";
import { bumpGeneration } from "../meta/generation.ts";
import { isNegative } from "../meta/resource-list.ts";
import { nodeLabelWarning } from "../pod-template/node-label-warnings.ts";
import { checkDriverName } from "../pod-template/volume-sources.ts";
import { defineRules, type KindRules } from "../rules.ts";
import { checkLabelSelector } from "../selector/label-selector.ts";
import { ageOf } from "../table/cells.ts";
import type { Whole } from "../whole.ts";
import { occursBefore } from "../occurs-before.ts";

type CsiDriver = Whole<CsiDriverObject>;
type CsiNode = Whole<CsiNodeObject>;

const unsetTokens =
  "spec.serviceAccountTokenInSecrets is unset; if supported by this CSI driver, set to true to prevent possible logging of tokens in volume attributes";

/** Rules of CSIDriver. */
export const csiDriver: KindRules<CsiDriver> = defineRules<CsiDriver>({
  unconditionalUpdate: false,
  deletion: { returnsObject: true },
  defaults: ({ spec }) => setDefaults(spec),
  prepareForCreate({ spec }) {
    delete spec.preventPodSchedulingIfMissing;
  },
  prepareForUpdate(draft, old) {
    if (old.spec.preventPodSchedulingIfMissing === undefined) delete draft.spec.preventPodSchedulingIfMissing;
    bumpGeneration(draft, old);
  },
  validateCreate: ({ spec }) => checkDriver(spec),
  validateUpdate: ({ spec }, old) => [
    ...checkDriver(spec),
    ...checkUnchanged(spec.attachRequired, old.spec.attachRequired, "spec.attachedRequired"),
    ...checkUnchanged(spec.volumeLifecycleModes, old.spec.volumeLifecycleModes, "spec.volumeLifecycleModes"),
  ],
  warnings: ({ spec }, old) => {
    const { tokenRequests = [], serviceAccountTokenInSecrets } = spec;
    const isOld = old !== undefined && isDeepEqual(old.spec.tokenRequests, spec.tokenRequests);
    return isOld || tokenRequests.length === 0 || serviceAccountTokenInSecrets !== undefined ? [] : [unsetTokens];
  },
  table: { row: (object, now) => ({ cells: driverCells(object, now) }) },
});

function setDefaults(spec: Draft<CSIDriverSpec>): void {
  spec.attachRequired ??= true;
  spec.podInfoOnMount ??= false;
  spec.storageCapacity ??= false;
  spec.fsGroupPolicy ??= "ReadWriteOnceWithFSType";
  if ((spec.volumeLifecycleModes ?? []).length === 0) spec.volumeLifecycleModes = ["Persistent"];
  spec.requiresRepublish ??= false;
  spec.seLinuxMount ??= false;
}

function driverCells(object: CsiDriver, now: number): (string | boolean)[] {
  const { attachRequired = true, podInfoOnMount = false, storageCapacity = false, ...spec } = object.spec;
  const modes = (spec.volumeLifecycleModes ?? []).join(",");
  const tokens =
    spec.tokenRequests === undefined ? "<unset>" : spec.tokenRequests.map(({ audience }) => audience).join(",");
  return [
    object.metadata.name,
    attachRequired,
    podInfoOnMount,
    storageCapacity,
    tokens,
    spec.requiresRepublish ?? false,
    modes === "" ? "<none>" : modes,
    ageOf(object, now),
  ];
}

const minPeriod = 10;

function checkDriver(spec: CSIDriverSpec): FieldError[] {
  const { fsGroupPolicy, tokenRequests = [], volumeLifecycleModes = [], serviceAccountTokenInSecrets } = spec;
  const period = spec.nodeAllocatableUpdatePeriodSeconds;
  const noTokens = "serviceAccountTokenInSecrets is set but no tokenRequests are specified";
  const isUseless = serviceAccountTokenInSecrets !== undefined && tokenRequests.length === 0;
  return [
    ...checkOneOf(fsGroupPolicy, "spec.fsGroupPolicy", ["File", "None", "ReadWriteOnceWithFSType"]),
    ...checkTokenRequests(tokenRequests, "spec.tokenRequests"),
    ...volumeLifecycleModes.flatMap((mode) =>
      checkOneOf(mode, "spec.volumeLifecycleModes", ["Persistent", "Ephemeral"]),
    ),
    ...(period !== undefined && period < minPeriod
      ? [
          fieldErrors.invalid(
            "spec.nodeAllocatableUpdatePeriodSeconds",
            period,
            "must be greater than or equal to 10 seconds",
          ),
        ]
      : []),
    ...(isUseless
      ? [fieldErrors.invalid("spec.serviceAccountTokenInSecrets", serviceAccountTokenInSecrets, noTokens)]
      : []),
  ];
}

const minSeconds = 600;
const maxSeconds = 2 ** 32;

function checkTokenRequests(requests: NonNullable<CSIDriverSpec["tokenRequests"]>, path: string): FieldError[] {
  const audiences = requests.map(({ audience }) => audience);
  return requests.flatMap(({ audience, expirationSeconds }, index) => {
    const at = `${path}[${index}]`;
    if (occursBefore(audiences, index)) return [fieldErrors.duplicate(`${at}.audience`, audience)];
    const refuse = (why: string): FieldError =>
      fieldErrors.invalid(`${at}.expirationSeconds`, expirationSeconds, `may not specify a duration ${why}`);
    if (expirationSeconds === undefined) return [];
    if (expirationSeconds < minSeconds) return [refuse("less than 10 minutes")];
    return expirationSeconds > maxSeconds ? [refuse("larger than 2^32 seconds")] : [];
  });
}

/** Rules of CSINode. */
export const csiNode: KindRules<CsiNode> = defineRules<CsiNode>({
  validatesMetadata: true,
  unconditionalUpdate: false,
  deletion: { returnsObject: true },
  validateCreate: checkNode,
  validateUpdate: (object, old) => [...checkNode(object), ...checkSameDrivers(object, old)],
  table: {
    row: (object, now) => ({
      cells: [object.metadata.name, (object.spec.drivers ?? []).length, ageOf(object, now)],
    }),
  },
});

function checkNode(object: CsiNode): FieldError[] {
  const drivers = object.spec.drivers ?? [];
  const names = drivers.map(({ name }) => name);
  return [
    ...checkObjectMetadata(object, false, "dns-subdomain"),
    ...drivers.flatMap((driver, index) => {
      const path = `spec.drivers[${index}]`;
      return [
        ...checkNodeDriver(driver, path),
        ...(occursBefore(names, index) ? [fieldErrors.duplicate(`${path}.name`, driver.name)] : []),
        ...checkTopologyKeys(driver.topologyKeys ?? [], path),
      ];
    }),
  ];
}

const maxNodeIdLength = 256;

function checkNodeDriver({ name, nodeID, allocatable }: CSINodeDriver, path: string): FieldError[] {
  const at = `${path}.nodeID`;
  return [
    ...checkDriverName(name, `${path}.name`),
    ...(isEmpty(nodeID) ? [fieldErrors.required(at)] : []),
    ...(nodeID.length > maxNodeIdLength
      ? [fieldErrors.invalid(at, nodeID, `must be ${maxNodeIdLength} characters or less`)]
      : []),
    ...checkNonNegative(allocatable?.count, `${path}.allocatable.count`),
  ];
}

function checkTopologyKeys(keys: readonly string[], path: string): FieldError[] {
  return keys.flatMap((key, index) => [
    ...(key === "" ? [fieldErrors.required(path)] : []),
    ...(occursBefore(keys, index) ? [fieldErrors.duplicate(path, key)] : []),
    ...checkQualified(key, path),
  ]);
}

/** The drivers of a node are immutable except for their `allocatable`. */
function checkSameDrivers({ spec }: CsiNode, { spec: old }: CsiNode): FieldError[] {
  return (old.drivers ?? []).flatMap((before) =>
    (spec.drivers ?? [])
      .filter((driver) => driver.name === before.name)
      .map((driver) => [internalDriver(driver), internalDriver(before)] as const)
      .filter(([driver, known]) => !isDeepEqual(driver, known))
      .map(([driver]) => fieldErrors.invalid("spec.drivers", driver, "field is immutable")),
  );
}

function internalDriver({ name, nodeID, topologyKeys }: CSINodeDriver): object {
  return { Name: name, NodeID: nodeID, TopologyKeys: topologyKeys ?? null, Allocatable: null };
}

/** Rules of CSIStorageCapacity. */
export const csiStorageCapacity: KindRules<CSIStorageCapacity> = defineRules<CSIStorageCapacity>({
  validatesMetadata: true,
  unconditionalUpdate: false,
  validateCreate: (object) => checkCapacity(object, false),
  validateUpdate: (object, old) => [
    ...checkCapacity(object, checkLabelSelector(old.nodeTopology, "").length > 0),
    ...checkMetadataUpdate(object.metadata, old.metadata),
    ...checkStandardFinalizers(object.metadata),
    ...checkUnchanged(object.nodeTopology, old.nodeTopology, "nodeTopology"),
    ...checkUnchanged(object.storageClassName, old.storageClassName, "storageClassName"),
  ],
  warnings: ({ nodeTopology }) => topologyWarnings(nodeTopology),
});

function topologyWarnings(topology: CSIStorageCapacity["nodeTopology"]): string[] {
  const { matchExpressions = [], matchLabels = {} } = topology ?? {};
  return [
    ...matchExpressions.flatMap(({ key }, index) => {
      const warning = nodeLabelWarning(key);
      return warning === undefined ? [] : [`nodeTopology.matchExpressions[${index}].key: ${key} is ${warning}`];
    }),
    ...Object.keys(matchLabels).flatMap((key) => {
      const warning = nodeLabelWarning(key);
      return warning === undefined ? [] : [`nodeTopology.matchLabels.${key}: ${warning}`];
    }),
  ];
}

function checkCapacity(object: CSIStorageCapacity, invalidValues: boolean): FieldError[] {
  const { nodeTopology, storageClassName, capacity } = object;
  return [
    ...checkObjectMetadata(object, true, "dns-subdomain"),
    ...checkLabelSelector(nodeTopology, "nodeTopology", { invalidValues }),
    ...checkSubdomain(storageClassName, "storageClassName"),
    ...(capacity !== undefined && isNegative(capacity)
      ? [fieldErrors.invalid("capacity", capacity, "must be greater than or equal to 0")]
      : []),
  ];
}

/** Determines the user of a container, in the order of precedence: container, pod, image. */
import { readFile, realpath, stat } from "node:fs/promises";
import { join } from "node:path";
import type { Container } from "@capstan/kinds/v1";
import { NodeError } from "../errors.ts";
import type { BoundPod } from "../pod/containers.ts";
import type { Identity } from "./launch.ts";

const LARGEST_TABLE = 2 ** 20;

/** UIDs of Linux end here: a larger number is a user name. */
const LARGEST_ID = 2 ** 31 - 1;

/** What determines the user. */
export interface IdentitySources {
  readonly pod: BoundPod;
  readonly container: Container;
  /** The image's user: `name` or `uid`, each with an optional `:group`, which is ignored. */
  readonly imageUser: string;
  /** The rootfs of the image. */
  readonly root: string;
}

/** A user and its home directory. */
export interface Person extends Identity {
  readonly home: string;
}

/** The user of a container. */
export async function identityOf(sources: IdentitySources): Promise<Person> {
  const { pod, container, root } = sources;
  const passwd = await readTable(root, "etc/passwd");
  const groups = await readTable(root, "etc/group");
  const uid = userOf(sources, passwd);
  const entry = passwd.find((line) => line[2] === String(uid));
  const asked = container.securityContext?.runAsGroup ?? pod.spec.securityContext?.runAsGroup;
  // The group of the image's user is ignored: container runtimes report only the user to the kubelet.
  const gid = checkId(asked ?? Number(entry?.[3] ?? 0));
  const isStrict = pod.spec.securityContext?.supplementalGroupsPolicy === "Strict";
  const ofImage = isStrict ? [] : memberships(entry?.[0], groups).map(checkId);
  return { uid, gid, groups: [...new Set([gid, ...extraGroups(pod), ...ofImage])], home: entry?.[5] || "/" };
}

function userOf(sources: IdentitySources, passwd: Table): number {
  const { pod, container, imageUser } = sources;
  const [user = ""] = imageUser.split(":");
  const asked = container.securityContext?.runAsUser ?? pod.spec.securityContext?.runAsUser;
  const uid = asked ?? (user === "" ? 0 : idOf(user, passwd));
  if (uid === undefined) throw refused(`unable to find user ${user}: no matching entries in passwd file`);
  checkId(uid);
  const notRoot = container.securityContext?.runAsNonRoot ?? pod.spec.securityContext?.runAsNonRoot;
  if (notRoot === true) checkNotRoot({ uid, asked, user, pod, container });
  return uid;
}

/** The kernel would truncate a larger id, and -1 is reserved. The image controls the content of its tables. */
function checkId(id: number): number {
  if (Number.isInteger(id) && id >= 0 && id <= LARGEST_ID) return id;
  throw refused(`uids and gids must be in range 0-${LARGEST_ID}`);
}

function memberships(user: string | undefined, groups: Table): readonly number[] {
  if (user === undefined) return [];
  return groups.filter((line) => line[3]?.split(",").includes(user)).map((line) => Number(line[2]));
}

/** The lines of `passwd` or `group`. */
type Table = readonly (readonly string[])[];

function extraGroups({ spec: { securityContext = {} } }: BoundPod): readonly number[] {
  const { supplementalGroups = [], fsGroup } = securityContext;
  return fsGroup === undefined ? supplementalGroups : [...supplementalGroups, fsGroup];
}

interface Checked {
  readonly uid: number;
  readonly asked: number | undefined;
  readonly user: string;
  readonly pod: BoundPod;
  readonly container: Container;
}

function checkNotRoot({ uid, asked, user, pod, container }: Checked): void {
  const { name, namespace, uid: podUid } = pod.metadata;
  const where = `(pod: "${name}_${namespace}(${podUid})", container: ${container.name})`;
  if (asked === 0) throw refused(`container's runAsUser breaks non-root policy ${where}`);
  if (asked === undefined && user !== "" && !/^\d+$/.test(user))
    throw refused(
      `container has runAsNonRoot and image has non-numeric user (${user}), cannot verify user is non-root ${where}`,
    );
  if (uid === 0) throw refused(`container has runAsNonRoot and image will run as root ${where}`);
}

function refused(message: string): NodeError {
  return new NodeError("CreateContainerConfigError", message);
}

function idOf(name: string, table: Table): number | undefined {
  if (/^\d+$/.test(name) && Number(name) <= LARGEST_ID) return Number(name);
  const line = table.find(([key]) => key === name);
  return line === undefined ? undefined : Number(line[2]);
}

/** An image may link its tables to any path; paths outside of the image are not read. */
async function readTable(root: string, path: string): Promise<Table> {
  const [folder, file] = await Promise.all([realpath(root), realpath(join(root, path)).catch(() => "")]);
  if (!file.startsWith(`${folder}/`)) return [];
  const info = await stat(file);
  // Reading a pipe would never end.
  if (!info.isFile()) return [];
  const { size } = info;
  // A small image can hold a file that unpacks to gigabytes, and the cluster's process reads this one.
  if (size > LARGEST_TABLE) throw refused(`${path} of the image has ${size} bytes, more than a list of users needs`);
  return (await readFile(file, "utf8")).split("\n").map((line) => line.split(":"));
}

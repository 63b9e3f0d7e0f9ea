/** Describes errors of the disk in a sentence with the path. This is the only place that knows the system's error codes. */

/** The error codes and their meaning. */
const reasons: { readonly [code: string]: string } = {
  EACCES: "you may not",
  EPERM: "that is not allowed here, not even to the owner",
  EROFS: "the disk is read-only",
  ENOSPC: "the disk is full",
  EDQUOT: "your share of the disk is used up",
  ENOTDIR: "there is a file where a folder must be",
  EISDIR: "it is a folder",
  ENOENT: "it is not there",
  EEXIST: "something is there already",
  ENOTEMPTY: "the folder is not empty",
  ENAMETOOLONG: "the name is too long",
  ELOOP: "its links lead in a circle",
  EBUSY: "it is in use",
  EMFILE: "too many files are open",
  EIO: "the disk fails",
};

const verbs: { readonly [call: string]: string } = {
  read: "read",
  scandir: "read",
  stat: "read",
  lstat: "read",
  write: "write",
  mkdir: "make",
  copyfile: "copy",
  rename: "write",
  unlink: "delete",
  rm: "delete",
  rmdir: "delete",
};

/** The sentence for a disk error; undefined for other errors. */
export function describeDiskError(error: Error): string | undefined {
  const { code, path, syscall } = error as NodeJS.ErrnoException;
  // mkdir fails with ENOENT although the parent exists where no folders can be created, as in /proc.
  const reason = code === "ENOENT" && syscall === "mkdir" ? "no folder can be made there" : reasons[code ?? ""];
  if (reason === undefined) return undefined;
  return `cannot ${verbs[syscall ?? ""] ?? "open"} ${path ?? "a file"}: ${reason} (${code})`;
}

/** Sets the path of a disk error: the system omits it for open files, and the failed call may have used a temporary path. */
export async function atPath<T>(path: string, work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    if (error instanceof Error && "code" in error) Object.assign(error, { path });
    throw error;
  }
}

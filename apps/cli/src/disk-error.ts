/** What a disk refuses, in words and with the path: the only place that knows the system's codes for it. */

/** The codes, and what each means to a person. */
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

/** The sentence for what a disk refused; nothing for errors of other sorts. */
export function describeDiskError(error: Error): string | undefined {
  const { code, path, syscall } = error as NodeJS.ErrnoException;
  // Where a folder's parent is there and the folder still cannot be made for want of one, it is no place for folders.
  const reason = code === "ENOENT" && syscall === "mkdir" ? "no folder can be made there" : reasons[code ?? ""];
  if (reason === undefined) return undefined;
  return `cannot ${verbs[syscall ?? ""] ?? "open"} ${path ?? "a file"}: ${reason} (${code})`;
}

/** Names the path in what a disk refuses: the system forgets it where a file is open already, and ours may have stood in for it. */
export async function atPath<T>(path: string, work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    if (error instanceof Error && "code" in error) Object.assign(error, { path });
    throw error;
  }
}

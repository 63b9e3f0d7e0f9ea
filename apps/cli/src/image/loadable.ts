/** A program without what no process loads: symbols and debug information behind its last segment. */

/** The offsets of the fields of a 64-bit ELF header that are read or cleared. */
const header = { programs: 32, sections: 40, programSize: 54, programCount: 56, sectionCount: 60, names: 62, size: 64 };

/** The offsets in an entry of the program headers. */
const segment = { offset: 8, fileSize: 32, size: 56 };

/**
 * The bytes up to the end of the last segment. Kernel and dynamic loader read segments only; the table of sections, which debuggers read, is
 * removed with the sections. A file that is no 64-bit little-endian ELF program stays as it is.
 */
export function loadablePart(program: Buffer): Buffer {
  const isElf = program.subarray(0, 6).equals(Buffer.from([0x7f, 0x45, 0x4c, 0x46, 2, 1]));
  if (!isElf || program.length < header.size || program.readUInt16LE(header.programSize) !== segment.size)
    return program;
  const table = Number(program.readBigUInt64LE(header.programs));
  const count = program.readUInt16LE(header.programCount);
  const tableEnd = table + count * segment.size;
  if (count === 0 || tableEnd > program.length) return program;
  const ends = Array.from({ length: count }, (_, at) => {
    const entry = table + at * segment.size;
    return Number(program.readBigUInt64LE(entry + segment.offset) + program.readBigUInt64LE(entry + segment.fileSize));
  });
  const end = Math.max(header.size, tableEnd, ...ends);
  if (end >= program.length) return program;
  const kept = Buffer.from(program.subarray(0, end));
  kept.writeBigUInt64LE(0n, header.sections);
  kept.writeUInt16LE(0, header.sectionCount);
  kept.writeUInt16LE(0, header.names);
  return kept;
}

/** Indents a source by its brackets, so that a person can read what was generated. */

/** The same source, a step deeper for each line that leaves brackets open. Lines of comments stay as they are. */
export function indent(source: string): string {
  const open: number[] = [];
  return source
    .split("\n")
    .map((line) => {
      if (line === "" || /^(\/\*\*| \*)/.test(line)) return line;
      const marks = line.replaceAll(/"(?:[^"\\]|\\.)*"/g, "");
      // A line that starts with a closing bracket aligns with the line that opened it.
      const closing = /^[\])}]*/.exec(marks)?.[0].length ?? 0;
      const level = closing > 0 ? (open.at(-closing) ?? 0) : (open.at(-1) ?? -1) + 1;
      for (const mark of marks) {
        if ("[({".includes(mark)) open.push(level);
        if ("])}".includes(mark)) open.pop();
      }
      return `${"  ".repeat(level)}${line}`;
    })
    .join("\n");
}

import { buildPrograms, mirrorOperator, programPath, showProgress } from "./index.ts";
await buildPrograms([mirrorOperator()], showProgress(process.stderr)); console.log(programPath(mirrorOperator()));

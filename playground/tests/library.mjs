// Solves modules for tests: a list of [module, options, points] on standard input, values on standard output.
import { readFileSync } from "node:fs";
import { estimateError, solve } from "../../pdedsl/codegen/pdedsl.mjs";

const answers = [];
for (const { module, options, points } of JSON.parse(readFileSync(0, "utf-8"))) {
  try {
    const { problem } = await import(module);
    const solution = solve(problem, options);
    const values = points.map((q) => problem.components.map((_, c) =>
      problem.time ? solution.at(q.slice(0, -1), q.at(-1), c) : solution.at(q, 0, c)));
    const error = options.estimate ? estimateError(problem, solution, options).error : null;
    answers.push({ values, error, steps: solution.steps, decay: solution.decay });
  } catch (error) {
    answers.push({ failure: error.message });
  }
}
console.log(JSON.stringify(answers));

declare module "worker-source" {
  const text: string;
  export default text;
}
declare module "*.html" {
  const text: string;
  export default text;
}
declare module "tables" {
  import type { Description, Summary } from "./engine.ts";
  type Lists = Record<string, (number | null)[]>;
  const tables: {
    /** By parameter set and hook, file and line of its function. */
    sources: Record<string, Record<string, string>>;
    /** The run that the page begins with. */
    first: { description: Description; summary: Summary; columns: number; flows: Lists[]; links: Lists[] };
  };
  export default tables;
}

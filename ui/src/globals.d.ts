/** Set by Vite: whether this build stands on the fake backend. */
declare const __FAKE_BACKEND__: boolean;

declare module '*.docx?url' {
  const address: string;
  export default address;
}

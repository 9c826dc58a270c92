import { api } from './client.js';

/** A file of the service. */
const exampleFile = async (name: string): Promise<Blob> => {
  const response = await fetch(`/example/${name}.csv`);
  if (!response.ok) throw new Error('the example is missing here');
  return response.blob();
};

/** Imports the example year and the months after it. Returns the id of the source. */
export const importExample = async (): Promise<number> => {
  const { source } = await api.upload('/v1/import-csv/create-source', {
    file: await exampleFile('reference'),
    params: { query: { name: 'Market hall' } },
  });
  await api.analysed(source.id);
  await api.upload('/v1/import-csv/{source_id}/days', {
    file: await exampleFile('recent'),
    params: { path: { source_id: source.id } },
  });
  return source.id;
};

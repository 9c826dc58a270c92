import { api, ApiProblem, bodyOf, problemOf } from './client.js';
import { currentSession } from './session.js';

const pollMs = 400;

/** Sends a file of the service back to it as an import. */
const sendExample = async (file: string, path: string): Promise<unknown> => {
  const example = await fetch(file);
  if (!example.ok) throw new ApiProblem(example.status, 'exampleMissing', 'the example is missing here');
  const response = await fetch(path, {
    method: 'POST',
    headers: {
      Authorization: `Bearer ${currentSession().token ?? ''}`,
      'Content-Type': 'text/csv',
    },
    body: await example.blob(),
  });
  const body: unknown = await response.json();
  if (!response.ok) throw problemOf(response.status, body);
  return body;
};

/** Waits until models are learned. @throws ApiProblem when the analysis fails */
export const analysed = async (id: number): Promise<void> => {
  for (;;) {
    const { analysis } = await bodyOf(
      api.GET('/v1/source/{source_id}', { params: { path: { source_id: id }, query: {} } }),
    );
    if (analysis.status === 'completed') return;
    if (analysis.status === 'failed') throw new ApiProblem(500, 'analysisFailed', analysis.detail ?? '');
    await new Promise(resolve => setTimeout(resolve, pollMs));
  }
};

/** Imports the example year and the months after it. Returns the id of the source. */
export const importExample = async (): Promise<number> => {
  const created = await sendExample(
    '/example/reference.csv',
    `/v1/import-csv/create-source?${new URLSearchParams({ name: 'Market hall' })}`,
  );
  const { id } = (created as { source: { id: number } }).source;
  await analysed(id);
  await sendExample('/example/recent.csv', `/v1/import-csv/${id}/days`);
  return id;
};

// All that the service uses of ml-kmeans. The build replaces this module by a bundle.
export { kmeans } from 'ml-kmeans';

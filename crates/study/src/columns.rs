//! Tables as Parquet files: a table is a list of columns, and a column is a name and a function that reads a
//! row.
//!
//! Text is dictionary-encoded, all columns are compressed with Snappy, and each run is one row group, in order,
//! so equal rows give equal bytes. The rows of a run are packed by the thread that made the run, as a Parquet
//! file in memory, and appended to the table unchanged.

use crate::Error;
use bytes::Bytes;
use parquet::basic::{Compression, LogicalType, Repetition, Type as Physical};
use parquet::column::writer::ColumnCloseResult;
use parquet::data_type::{BoolType, ByteArray, ByteArrayType, DataType, DoubleType, Int64Type};
use parquet::errors::ParquetError;
use parquet::file::properties::WriterProperties;
use parquet::file::reader::FileReader;
use parquet::file::serialized_reader::SerializedFileReader;
use parquet::file::writer::{SerializedFileWriter, SerializedRowGroupWriter};
use parquet::schema::types::Type;
use std::borrow::Cow;
use std::fs::File;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Column of a table with rows `R`.
pub struct Col<R> {
    /// Name, with the unit.
    pub name: Cow<'static, str>,
    /// Description, one line.
    pub doc: &'static str,
    /// Reads the value of a row.
    pub get: Get<R>,
}

/// Function that reads a value from a row. An optional value is null if it is missing.
pub enum Get<R> {
    /// Count, number or instant.
    Int(fn(&R) -> u64),
    /// Count, number or instant that may be missing.
    OptInt(fn(&R) -> Option<u64>),
    /// Fraction or span.
    Float(fn(&R) -> f64),
    /// Fraction or span that may be missing.
    OptFloat(fn(&R) -> Option<f64>),
    /// Yes or no.
    Flag(fn(&R) -> bool),
    /// Word.
    Text(fn(&R) -> &str),
    /// Count with this index among several of a row; may be missing.
    NthOptInt(usize, fn(&R, usize) -> Option<u64>),
    /// Fraction or span with this index among several of a row; may be missing.
    NthFloat(usize, fn(&R, usize) -> Option<f64>),
    /// Word with this index among several of a row.
    NthText(usize, fn(&R, usize) -> &str),
}

/// Builds the columns of a table from doc comment, name, kind and an expression that reads row `$r`.
macro_rules! columns {
    ($r:ident: $row:ty; $(#[doc = $doc:literal] $name:ident: $kind:ident = $get:expr;)*) => {
        vec![$($crate::columns::Col {
            name: stringify!($name).into(),
            doc: $doc.trim_ascii(),
            get: $crate::columns::Get::$kind(|$r: &$row| $get),
        },)*]
    };
}
pub(crate) use columns;

/// Writer of a Parquet file.
pub struct TableWriter<W: Write + Send = File> {
    writer: SerializedFileWriter<W>,
    path: PathBuf,
}

/// Packs `rows` as a table of one row group, in memory.
pub fn packed<R>(name: &str, columns: &[Col<R>], rows: &[R]) -> Bytes {
    let in_memory = "nothing is refused in memory";
    let mut table =
        TableWriter::new(name, columns, Vec::new(), PathBuf::from(name)).expect(in_memory);
    table.write(columns, rows).expect(in_memory);
    Bytes::from(table.writer.into_inner().expect(in_memory))
}

impl<W: Write + Send> TableWriter<W> {
    /// Begins the table `name` with these columns in `file`.
    pub fn new<R>(name: &str, columns: &[Col<R>], file: W, path: PathBuf) -> Result<Self, Error> {
        let fields = columns.iter().map(|c| Arc::new(field(c))).collect();
        let schema = Type::group_type_builder(name).with_fields(fields).build();
        let schema = schema.expect("column names make a schema");
        let properties = WriterProperties::builder()
            .set_compression(Compression::SNAPPY)
            .set_created_by(format!("sidestep {}", env!("CARGO_PKG_VERSION")))
            .build();
        let writer = SerializedFileWriter::new(file, Arc::new(schema), Arc::new(properties))
            .map_err(|e| table_error(&path, e))?;
        Ok(TableWriter { writer, path })
    }

    /// Writes `rows` as one row group. `columns` are those given to [`TableWriter::new`].
    pub fn write<R>(&mut self, columns: &[Col<R>], rows: &[R]) -> Result<(), Error> {
        let written = self.write_group(columns, rows);
        written.map_err(|e| table_error(&self.path, e))
    }

    fn write_group<R>(&mut self, columns: &[Col<R>], rows: &[R]) -> Result<(), ParquetError> {
        let mut group = self.writer.next_row_group()?;
        for column in columns {
            match column.get {
                Get::Int(get) => put::<_, Int64Type, _>(&mut group, rows, |r| get(r) as i64)?,
                Get::Flag(get) => put::<_, BoolType, _>(&mut group, rows, get)?,
                Get::Text(get) => {
                    put::<_, ByteArrayType, _>(&mut group, rows, |r| ByteArray::from(get(r)))?;
                }
                Get::NthOptInt(i, get) => {
                    put_optional::<_, Int64Type, _>(&mut group, rows, |r| {
                        get(r, i).map(|v| v as i64)
                    })?;
                }
                Get::NthText(i, get) => {
                    put::<_, ByteArrayType, _>(&mut group, rows, |r| ByteArray::from(get(r, i)))?;
                }
                Get::NthFloat(i, get) => {
                    put_optional::<_, DoubleType, _>(&mut group, rows, |r| get(r, i))?;
                }
                Get::OptInt(get) => {
                    put_optional::<_, Int64Type, _>(&mut group, rows, |r| {
                        get(r).map(|v| v as i64)
                    })?;
                }
                Get::Float(get) => put::<_, DoubleType, _>(&mut group, rows, get)?,
                Get::OptFloat(get) => put_optional::<_, DoubleType, _>(&mut group, rows, get)?,
            }
        }
        group.close()?;
        Ok(())
    }

    /// Appends a table made by [`packed`] with the same columns.
    pub fn append(&mut self, part: &Bytes) -> Result<(), Error> {
        let appended = self.append_groups(part);
        appended.map_err(|e| table_error(&self.path, e))
    }

    fn append_groups(&mut self, part: &Bytes) -> Result<(), ParquetError> {
        let read = SerializedFileReader::new(part.clone())?;
        for from in read.metadata().row_groups() {
            let mut group = self.writer.next_row_group()?;
            for column in from.columns() {
                let close = ColumnCloseResult {
                    bytes_written: column.compressed_size() as u64,
                    rows_written: from.num_rows() as u64,
                    metadata: column.clone(),
                    bloom_filter: None,
                    column_index: None,
                    offset_index: None,
                };
                group.append_column(part, close)?;
            }
            group.close()?;
        }
        Ok(())
    }
}

impl TableWriter {
    /// Finishes the file and flushes it to the disk.
    pub fn finish(self) -> Result<(), Error> {
        let path = self.path;
        let file = self
            .writer
            .into_inner()
            .map_err(|e| table_error(&path, e))?;
        file.sync_all()
            .map_err(|e| Error::io("cannot write", &path, e))
    }
}

fn field<R>(column: &Col<R>) -> Type {
    let signed = LogicalType::integer(64, true);
    let (physical, logical, repetition) = match column.get {
        Get::Int(_) => (Physical::INT64, Some(signed), Repetition::REQUIRED),
        Get::OptInt(_) | Get::NthOptInt(..) => {
            (Physical::INT64, Some(signed), Repetition::OPTIONAL)
        }
        Get::Float(_) => (Physical::DOUBLE, None, Repetition::REQUIRED),
        Get::OptFloat(_) | Get::NthFloat(..) => (Physical::DOUBLE, None, Repetition::OPTIONAL),
        Get::Flag(_) => (Physical::BOOLEAN, None, Repetition::REQUIRED),
        Get::Text(_) | Get::NthText(..) => (
            Physical::BYTE_ARRAY,
            Some(LogicalType::String),
            Repetition::REQUIRED,
        ),
    };
    Type::primitive_type_builder(&column.name, physical)
        .with_logical_type(logical)
        .with_repetition(repetition)
        .build()
        .expect("a column's types go together")
}

type Group<'a, W> = SerializedRowGroupWriter<'a, W>;

fn put<R, T: DataType, W: Write + Send>(
    group: &mut Group<'_, W>,
    rows: &[R],
    get: impl Fn(&R) -> T::T,
) -> Result<(), ParquetError> {
    let values: Vec<T::T> = rows.iter().map(get).collect();
    let mut column = group.next_column()?.expect("one column each");
    column.typed::<T>().write_batch(&values, None, None)?;
    column.close()
}

fn put_optional<R, T: DataType, W: Write + Send>(
    group: &mut Group<'_, W>,
    rows: &[R],
    get: impl Fn(&R) -> Option<T::T>,
) -> Result<(), ParquetError> {
    let cells: Vec<Option<T::T>> = rows.iter().map(get).collect();
    let levels: Vec<i16> = cells.iter().map(|c| i16::from(c.is_some())).collect();
    let values: Vec<T::T> = cells.into_iter().flatten().collect();
    let mut column = group.next_column()?.expect("one column each");
    column
        .typed::<T>()
        .write_batch(&values, Some(&levels), None)?;
    column.close()
}

/// Names the file in an error, and unwraps the system's error from Parquet's.
fn table_error(path: &Path, error: ParquetError) -> Error {
    let source = match error {
        ParquetError::External(inner) => match inner.downcast::<io::Error>() {
            Ok(io) => *io,
            Err(other) => io::Error::other(other),
        },
        other => io::Error::other(other),
    };
    Error::io("cannot write", path, source)
}

//! Tables as Parquet: a table is a list of columns, a column a name and a way to read a row.
//!
//! Text is dictionary-encoded, everything is compressed with Snappy, and a row group is
//! written per run, in order: equal rows make equal bytes. The rows of one run are packed
//! where the run was made, as a file of their own in memory, and appended to the table as they are.

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

/// One column of a table with rows `R`.
pub struct Col<R> {
    /// Its name, with the unit.
    pub name: Cow<'static, str>,
    /// What it says, in one line.
    pub doc: &'static str,
    /// How a row has it.
    pub get: Get<R>,
}

/// How a row has a value. Optional ones are null where there is none.
pub enum Get<R> {
    /// A count, a number or an instant.
    Int(fn(&R) -> u64),
    /// One that may be missing.
    OptInt(fn(&R) -> Option<u64>),
    /// A fraction or a span.
    Float(fn(&R) -> f64),
    /// A fraction or a span, which may be missing.
    OptFloat(fn(&R) -> Option<f64>),
    /// Yes or no.
    Flag(fn(&R) -> bool),
    /// A word.
    Text(fn(&R) -> &str),
    /// A count of a row of many, by its number, which may be missing.
    NthOptInt(usize, fn(&R, usize) -> Option<u64>),
    /// A fraction or span of a row of many, which may be missing.
    NthFloat(usize, fn(&R, usize) -> Option<f64>),
    /// A word of a row of many.
    NthText(usize, fn(&R, usize) -> &str),
}

/// Writes the columns of a table: doc comment, name, kind, and how a row `$r` has it.
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

/// A Parquet file being written.
pub struct TableWriter<W: Write + Send = File> {
    writer: SerializedFileWriter<W>,
    path: PathBuf,
}

/// These rows as a table of one row group, in memory.
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

    /// Adds `rows` as one row group. The columns are those it began with.
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

    /// Adds what [`packed`] made of a table with the same columns.
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
    /// Ends the file.
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

/// Parquet wraps what the system said; what a user needs is that, and the file.
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
